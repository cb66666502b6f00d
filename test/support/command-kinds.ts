/**
 * Every command, with a line to try it: `reads` needs the read-only policy, `asks` also the secrets, because it asks
 * the store or the loyalty service, and `changes` needs the policy of an operator and leaves an audit record.
 * `own` is for a machine or a deployment, not for a running stack.
 */
export const COMMANDS: Readonly<
  Record<string, { readonly kind: 'reads' | 'asks' | 'changes' | 'own'; readonly line: string }>
> = {
  init: { kind: 'own', line: '' },
  'explain-stack': { kind: 'own', line: '' },
  completion: { kind: 'own', line: '' },
  setup: { kind: 'own', line: '' },
  start: { kind: 'own', line: '' },
  synth: { kind: 'own', line: '' },
  deploy: { kind: 'own', line: '' },
  status: { kind: 'reads', line: 'status' },
  trace: { kind: 'reads', line: 'trace order 1' },
  compare: { kind: 'asks', line: 'compare order 1' },
  'dead-letters list': { kind: 'reads', line: 'dead-letters list' },
  'dead-letters show': { kind: 'reads', line: 'dead-letters show 1' },
  'dead-letters replay': { kind: 'changes', line: 'dead-letters replay --id 2 --yes' },
  'dead-letters drop': {
    kind: 'changes',
    line: 'dead-letters drop --id 1 --because unwanted --yes',
  },
  pause: { kind: 'changes', line: 'pause --yes' },
  resume: { kind: 'changes', line: 'resume' },
  'retry-now': { kind: 'changes', line: 'retry-now' },
  doctor: { kind: 'reads', line: 'doctor' },
  history: { kind: 'reads', line: 'history' },
  probe: { kind: 'changes', line: 'probe --yes --wait 0' },
  send: { kind: 'changes', line: 'send --sample orders/create' },
  'secrets set': { kind: 'changes', line: 'secrets set loyalty --untried' },
  'app write': { kind: 'reads', line: 'app write --client-id client-of-this-test' },
  'app check': { kind: 'asks', line: 'app check' },
  'app list': { kind: 'reads', line: 'app list' },
  'storefront setup': { kind: 'changes', line: 'storefront setup --yes' },
  'redemptions list': { kind: 'reads', line: 'redemptions list' },
  'redemptions show': { kind: 'reads', line: 'redemptions show 7012345' },
  'redemptions close': {
    kind: 'changes',
    line: 'redemptions close 7012345 K3F9A2LQ7ZPX --refused --yes',
  },
  'webhooks check': { kind: 'asks', line: 'webhooks check' },
  'webhooks sync': { kind: 'changes', line: 'webhooks sync --yes' },
  reconcile: { kind: 'changes', line: 'reconcile' },
  'backfill orders': { kind: 'changes', line: 'backfill orders --since 2026-10-01 --yes' },
  'backfill products': { kind: 'changes', line: 'backfill products --yes' },
  'backfill discounts': { kind: 'changes', line: 'backfill discounts --yes' },
  'backfill resume': { kind: 'changes', line: 'backfill resume orders_2026-01-01_2026-02-01' },
  'backfill status': { kind: 'reads', line: 'backfill status' },
  resend: { kind: 'changes', line: 'resend --since 7d --yes' },
};
