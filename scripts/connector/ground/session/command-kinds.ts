/**
 * What a command needs: `reads` the read-only policy, `asks` also the secrets, because it asks the store or the
 * loyalty service, and `changes` the policy of an operator; it leaves an audit record. `own` is for a machine or a
 * deployment, not for a running stack.
 */
type CommandKind = 'reads' | 'asks' | 'changes' | 'own';

/** By the name of the command, with its group: `dead-letters replay`. */
export const COMMAND_KINDS: Readonly<Record<string, CommandKind>> = {
  init: 'own',
  setup: 'own',
  start: 'own',
  synth: 'own',
  deploy: 'own',
  console: 'own',
  status: 'reads',
  trace: 'reads',
  compare: 'asks',
  audit: 'asks',
  'dead-letters list': 'reads',
  'dead-letters show': 'reads',
  'dead-letters scan': 'changes',
  'dead-letters replay': 'changes',
  'dead-letters drop': 'changes',
  pause: 'changes',
  resume: 'changes',
  'retry-now': 'changes',
  doctor: 'reads',
  history: 'reads',
  probe: 'changes',
  'secrets set': 'changes',
  'app write': 'reads',
  'storefront setup': 'changes',
  'redemptions list': 'reads',
  'redemptions show': 'reads',
  'redemptions close': 'changes',
  'privacy show': 'asks',
  'privacy erase': 'changes',
  'privacy erase-shop': 'changes',
  'webhooks check': 'asks',
  'webhooks sync': 'changes',
  reconcile: 'changes',
  recover: 'changes',
  'go-live': 'changes',
  'reconcile status': 'reads',
  'backfill orders': 'changes',
  'backfill products': 'changes',
  'backfill discounts': 'changes',
  'backfill status': 'reads',
  'import balances': 'changes',
  resend: 'changes',
};

/** What they take away does not come back by itself: the page does not offer them as the first choice. */
export const REMOVES: ReadonlySet<string> = new Set([
  ...['dead-letters drop', 'redemptions close', 'privacy erase', 'privacy erase-shop'],
]);
