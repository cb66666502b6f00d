import type { Command } from 'commander';
import {
  durationText,
  parseMoment,
  queueOption,
  wholeNumber,
} from '../ground/session/arguments.ts';
import { ANY_SHOP, declare, ONE_SHOP } from '../ground/session/run-action.ts';

const PAUSE_EXAMPLES = `\
  npx loyalty-connector pause --shop SHOP --queue orders
  npx loyalty-connector pause --for 2h --because maintenance --yes
  npx loyalty-connector resume

What arrives meanwhile waits in the queues and is sent after "resume". While paused, neither attempts nor
retry time are counted. After seven days an alarm rings; after 13 what waits becomes dead letters.
`;

/** The commands that change what a running stack does or holds. */
export function registerRepair(program: Command): void {
  declare(program, 'pause', {
    summary: 'stop the calls to the loyalty service',
    description:
      'Stops the calls to the loyalty service within seconds, for all shops or one, on all queues or one. Without --queue the storefront and reconcile stop calling, too. Asks before it acts, unless --yes is given.',
    examples: PAUSE_EXAMPLES,
    run: async () => (await import('./hold-calls.ts')).pauseCommand,
  })
    .option(...ANY_SHOP)
    .addOption(queueOption('only this queue'))
    .option('--because <reason>', 'why, for the next operator')
    .option(
      '--for <duration>',
      'how long, 7d at most: 30m, 2h (default: until "resume")',
      durationText,
    )
    .option('--yes', 'do not ask');

  declare(program, 'resume', {
    summary: 'let the calls to the loyalty service continue',
    description:
      'Ends pauses: those that "pause" began and, without --queue, also one that the loyalty service asked for or that refused credentials caused. What waited for them is sent at once.',
    examples: PAUSE_EXAMPLES,
    run: async () => (await import('./hold-calls.ts')).resumeCommand,
  })
    .option(...ANY_SHOP)
    .addOption(queueOption('only the pause of this queue'));

  declare(program, 'retry-now', {
    summary: 'retry at once what is waiting for its next attempt',
    description:
      'Retries messages whose last attempt failed, and says how it ended: after a fix they need not wait for up to an hour. Changes nothing else; a repeated attempt is harmless.',
    examples: `\
  npx loyalty-connector retry-now --shop SHOP

A pause of the shop still holds its messages, except one that refused credentials began. What had a call
without an answer is tried 30 seconds after that call at the earliest.
`,
    run: async () => (await import('./hold-calls.ts')).retryNow,
  })
    .option(...ANY_SHOP)
    .option(
      '--wait <seconds>',
      'how long to follow them to their outcome; 0: not at all (default: 60)',
      wholeNumber(0, 3600),
    );

  declare(program, 'resend', {
    summary: 'send orders, products, coupons or customers again, as the store has them now',
    description:
      'Shows what would be sent, asks, and sends it. The worker reads the store; what the loyalty service already has is not sent.',
    examples: `\
  npx loyalty-connector resend order 1007                       shows what would be sent, and asks
  npx loyalty-connector resend order 1007 --new-rules           counts it by the rules of today
  npx loyalty-connector compare orders --since 7d               which orders differ, with the line that sends them

An order keeps the rules under which it was sent, except with --new-rules. A lower amount takes points back from the customer.
`,
    run: async () => (await import('./resend.ts')).resend,
  })
    .argument('<kind>', 'order, product, coupon or customer')
    .argument('<ids...>', "the store's id, the order's number or name, the coupon's code")
    .option('--yes', 'send without asking')
    .option(...ONE_SHOP)
    .option('--force', 'send it even if the ledger says that the loyalty service has it')
    .option('--new-rules', 'an order: count it by the rules of today')
    .option('--wait', 'follow it to its outcome');

  const reconcile = declare(program, 'reconcile', {
    summary: 'compare the store with the ledger now, instead of at its next run',
    description:
      'Starts the comparison that also runs on a schedule, waits for it and says what it found. Repeating it is harmless.',
    examples: `\
  npx loyalty-connector reconcile             what changed since the last run
  npx loyalty-connector reconcile --deep --shop SHOP
  npx loyalty-connector reconcile status      what the last runs sent again, and why

After Ctrl-C it continues in the background.
`,
    run: async () => (await import('./reconcile.ts')).startReconcile,
  })
    .option('--deep', 'compare everything, not only what changed lately')
    .option(...ANY_SHOP);
  declare(reconcile, 'status', {
    summary: 'show the last runs: what was sent again, and why',
    examples: `\
  npx loyalty-connector reconcile status --json | jq '.data.shops[].runs[].sent'

The ledger keeps the last ten runs of a shop and the last ten that sent something, each with the first twenty that it
sent.
`,
    run: async () => (await import('./reconcile.ts')).showRuns,
  }).option(...ANY_SHOP);

  declare(program, 'recover', {
    summary: 'rebuild a lost or restored ledger, without giving or taking points twice',
    description:
      'Marks the ledger as incomplete, so that the loyalty service is read before anything is sent. Then compares everything with the store, finds the codes that customers bought, and says what was sent again.',
    examples: `\
  npx loyalty-connector recover                               shows what it would do; changes nothing
  npx loyalty-connector recover --from ledger-restored --yes  first copies what the ledger lacks
  npx loyalty-connector recover --go-live 2026-03-01 --yes    of a stack that was deployed again

Interrupted, it is continued by the same command; the comparison continues in the background. docs/recover.md says what can be
lost.
`,
    run: async () => (await import('./recover.ts')).recover,
  })
    .option('--since <when>', 'what it was restored to (default: all since go-live)', parseMoment)
    .option('--go-live <when>', 'if neither settings nor ledger say it', parseMoment)
    .option('--other-off-since <when>', 'when another integration was switched off', parseMoment)
    .option('--from <table>', 'first copy what the ledger lacks from this restored table')
    .option('--shop <domain>', 'only this shop (default: all; not with --from)')
    .option('--yes', 'do not ask');

  registerRedemptions(program);
  registerPrivacy(program);
}

function registerPrivacy(program: Command): void {
  const group = declare(program, 'privacy', {
    summary: 'show or erase all that is kept of a person',
    description:
      'Looks in the whole ledger and in every dead letter, asks the store and the loyalty service, and says what is left elsewhere, until when, and who must be asked.',
    examples: `\
  npx loyalty-connector privacy show someone@example.com --reveal --json
  npx loyalty-connector privacy erase 7012345 --shop SHOP
  npx loyalty-connector privacy erase-shop shop.example.com

Erase the customer in the store first: their next change would bring them back. An erasure can be interrupted and
repeated. Its record names the customer by number only. Others cannot receive the dead letters while it reads them.
`,
  });
  declare(group, 'show', {
    summary: 'what is kept of one customer, where, and until when',
    run: async () => (await import('./privacy.ts')).showKept,
  })
    .argument('<customer>', "the customer's id in the store, or e-mail address")
    .option(...ONE_SHOP)
    .option('--reveal', 'show personal data instead of masking it; this is recorded');
  declare(group, 'erase', {
    summary: 'erase what is kept of one customer, and say what is left',
    run: async () => (await import('./privacy.ts')).eraseCustomer,
  })
    .argument('<customer>', "the customer's id in the store, or e-mail address")
    .option(...ONE_SHOP)
    .option('--yes', 'do not ask');
  declare(group, 'erase-shop', {
    summary: 'erase what is kept of all customers of a shop, before it leaves the settings',
    run: async () => (await import('./privacy.ts')).eraseShop,
  })
    .argument('<shop>', 'its domain or path')
    .option('--yes', 'do not ask');
}

function registerRedemptions(program: Command): void {
  const group = declare(program, 'redemptions', {
    summary: 'list, show and close redeemed rewards',
    description:
      'Rewards that customers redeemed in the store. The connector finishes them; one that it cannot finish needs you.',
    examples: `\
  npx loyalty-connector redemptions list
  npx loyalty-connector redemptions show someone@example.com
  npx loyalty-connector redemptions close 7012345 K3F9A2LQ7ZPX --refused

Look at the customer in the loyalty service's panel or the store's admin first: the connector does not check what you say here.
To let the connector try again, replay the redemption's dead letter instead.
`,
  });
  declare(group, 'list', {
    summary: 'list unfinished redemptions',
    run: async () => (await import('./redemptions.ts')).listCommand,
  }).option(...ANY_SHOP);
  declare(group, 'show', {
    summary: 'show the balance, the redemptions and the used codes of one customer',
    description:
      'Shows the balance of one customer in the store, the ledger and the loyalty service, and all redemptions, with the codes that were used in the store.',
    run: async () => (await import('./redemptions.ts')).showCommand,
  })
    .argument('<customer>', "the customer's id in the store, e-mail address or reward code")
    .option(...ONE_SHOP);
  declare(group, 'close', {
    summary: 'close a redemption that needs you',
    description:
      'Closes a redemption that the connector cannot finish, after you looked into the loyalty service or the store. Without --yes it only shows what it would do.',
    run: async () => (await import('./redemptions.ts')).closeCommand,
  })
    .argument('<customer>', "the customer's id in the store")
    .argument('<id>', 'the id of the redemption')
    .option(...ONE_SHOP)
    .option('--refused', 'the loyalty service took no points')
    .option('--cancelled', 'it took points, and they were given back')
    .option('--used', 'its code was used after it was taken back, and the points are settled')
    .option('--credited', 'the store credit was given')
    .option('--yes', 'do it');
}
