import { type Command, Option } from 'commander';
import { PLATFORMS } from '../../../shared/config/connector-settings.ts';
import { EXAMPLE_SHOP, SHOP_NAMES } from '../../../shared/config/new-shop.ts';
import type { ProgramParts, SetupOptions } from '../ground/checks/step.ts';
import { parseBound, parseMoment, stageName, wholeNumber } from '../ground/session/arguments.ts';
import { ANY_SHOP, declare, ONE_SHOP } from '../ground/session/run-action.ts';
import type { StartOptions } from './backfill.ts';
import type { ImportOptions } from './import-balances.ts';
import type { InitOptions } from './init.ts';
import type { Examine } from './setup.ts';

const STAGE = [
  '--stage <name>',
  'the stage of connector.config.NAME.ts; prod is connector.config.ts',
] as const;

export function registerSetUp(
  program: Command,
  {
    createProgram,
    loadChecks,
    loadDoctor,
  }: ProgramParts & { readonly loadDoctor: () => Promise<Examine> },
): void {
  declare<SetupOptions>(program, 'setup', {
    summary: 'from an empty AWS account to the first synced order, step by step',
    examples: `\
  npx loyalty-connector setup                        the stack that runs on this machine; without one,
                                                     loyalty-connector-prod in your AWS account
  npx loyalty-connector setup --region eu-west-1     loyalty-connector-prod in your AWS account
  npx loyalty-connector setup --stage test           with the settings in connector.config.test.ts, on AWS
  npx loyalty-connector setup --yes < /dev/null      asks nothing; says which answers are missing

Stop it at any time and run it again: what is done is read from AWS, the store and the loyalty service.
Instead of asking, it reads environment variables: without a terminal it says which are missing.
`,
    async run() {
      const { runSetup } = await import('./setup.ts');
      const parts = { ...(await loadChecks()), examine: await loadDoctor() };
      return (session, options) => runSetup(session, options, parts);
    },
  })
    .option('--stage <name>', 'the stage, on AWS', stageName)
    .option(...ANY_SHOP)
    .option('--older-app', 'the app has an access token, not a client id and secret')
    .option('--yes', 'do not ask before changes; values are still asked for');

  declare<InitOptions>(program, 'init', {
    summary: 'write a new project: settings, package.json, a workflow that deploys it',
    examples: `\
  npx loyalty-connector init my-shop --package loyalty-connector-1.0.0.tgz
  npx loyalty-connector init my-shop --shop ${EXAMPLE_SHOP} \\
    --loyalty-address https://loyalty.example.com --region eu-west-1 --yes
  npx loyalty-connector init my-loyalty --shop https://shop.example.com/admin-api
`,
    run: async () => (await import('./init.ts')).init,
  })
    .argument('<folder>', 'a new folder, or . for this one')
    .option('--shop <domain>', SHOP_NAMES)
    .option('--loyalty-address <address>', 'the address of the loyalty service: https://…')
    .option('--alarms-email <address>', 'gets the alarms (default: none yet)')
    .option('--package <file>', 'install the connector from this file that npm pack wrote')
    .option('--yes', 'ask nothing');

  registerStart(program, createProgram);

  declare(program, 'synth', {
    summary: 'check the settings and write the templates to cdk.out; needs no AWS account',
    examples: `\
  npx loyalty-connector synth                every stage
`,
    run: async () => (await import('./synth.ts')).synth,
  }).option(STAGE[0], `${STAGE[1]} (default: every stage)`, stageName);

  declare(program, 'deploy', {
    summary: 'show what would change on AWS, ask, deploy, and print the next command',
    examples: `\
  npx loyalty-connector deploy --stage dev --yes    without a question, for a script
  npx loyalty-connector deploy --roll-back          after you installed an older version
`,
    run: async () => (await import('./deploy.ts')).runDeploy,
  })
    .option(...STAGE, stageName, 'prod')
    .option('--yes', 'deploy without asking')
    .option('--roll-back', 'deploy even if the deployed version is newer')
    .option('--allow-loss <ids...>', 'resources that hold state and may be replaced or deleted');

  const secrets = declare(program, 'secrets', {
    summary: 'save the secrets of a shop',
    examples: `\
  npx loyalty-connector secrets set webhook                 asks for it; what is typed is not shown
  npx loyalty-connector secrets set webhook --rotate        for a day, accepts the new and the current one
  npx loyalty-connector secrets set webhook                 during a rotation: corrects the newer one if it
                                                            was mistyped; the older one stays accepted
  npx loyalty-connector secrets set webhook --leaked        within 5 minutes only the new one: others know
                                                            the current one
  npx loyalty-connector secrets set store --older-app       an access token, no client id and secret
  npx loyalty-connector secrets set loyalty < loyalty.json  {"token": "…", "key": "…"}

Before it is stored, the service is asked whether it accepts it; so is the store for the webhook secret of an
app with a client id. Nothing else can be tried.

Fields: webhook current; loyalty token, key; store clientId, clientSecret or accessToken, on another platform
apiKey or username, password.
`,
  });
  declare(secrets, 'set', {
    summary: 'test and store one secret, asked for or read from standard input',
    run: async () => (await import('./set-secret.ts')).setSecret,
  })
    .argument('<purpose>', 'webhook, loyalty or store')
    .option(...ONE_SHOP)
    .option('--rotate', 'webhook: accept the current secret, too, for a day')
    .option('--leaked', 'webhook: accept only the new secret from now on')
    .option('--older-app', 'store: the app has an access token, not a client id and secret')
    .option('--untried', 'store it even if its service refuses it')
    .option('--yes', 'webhook: even if webhooks may be refused then');

  declare(program, 'probe', {
    summary:
      'find out on a test account what the service does not document, and print the settings that follow',
    examples: `\
  npx loyalty-connector probe                                 the stack that runs on this machine
  npx loyalty-connector probe --wait 600                      a program that gives points after minutes

For a TEST account only: it makes a customer, orders, a coupon and a redemption, all named
probe-<date>-<random>, and undoes them at the end, also after Ctrl-C. Orders and the customer cannot be
deleted: they stay, cancelled and inactive. Ends with 1 when something was not undone or is a danger, and with 4
when an answer proves nothing.
`,
    run: async () => (await import('./probe.ts')).probe,
  })
    .option(...ONE_SHOP)
    .option('--yes', 'do not ask')
    .option('--wait <seconds>', 'for points to come or change (60)', wholeNumber(0, 3600));
}

/** The commands that bring what was before the connector into it. */
export function registerPast(program: Command): void {
  declare(program, 'go-live', {
    summary: 'end the observation of a shop: send its orders from a given moment',
    description:
      'Ends the observation of a shop whose settings say live: reads what the store and the loyalty service have, checks that another integration is off, shows each call that it will make, and asks. Then compares everything with the service before anything is sent.',
    examples: `\
  npx loyalty-connector go-live --no-other                          no other integration ever sent its orders
  npx loyalty-connector go-live --other-off-since 3h --from 2026-11-01 --yes

Ends with 0 when everything was compared and settled, 3 when messages are left that wait for a later try, 1 while
another integration sends orders or a person must look at one, 2 while the settings say observe, and 4 when not
all orders could be read. Back: set mode: 'observe', and deploy.
`,
    run: async () => (await import('./go-live.ts')).goLive,
  })
    .option(...ONE_SHOP)
    .option(
      '--from <when>',
      'orders placed since then are sent (default: as before, else since the other is off, else since observing)',
      parseMoment,
    )
    .option('--no-other', 'no other integration ever sent its orders')
    .option('--other-off-since <when>', 'when the other one was switched off', parseMoment)
    .option('--although', 'although orders may then count twice')
    .option('--yes', 'do not ask');

  registerBackfill(program);
  registerImport(program);
}

function registerBackfill(program: Command): void {
  const group = declare(program, 'backfill', {
    summary: 'send orders, products or discounts from before the connector',
    description:
      "Sends orders, products or discount codes of the past through the connector's own queues, read from the store page by page. Orders are marked as history, so that campaigns can ignore them. It can be stopped at any time; the same command goes on with it.",
    examples: `\
  npx loyalty-connector backfill orders --since 2026-01-01    estimates, and asks
  npx loyalty-connector backfill products --yes
  npx loyalty-connector backfill discounts --yes
  npx loyalty-connector backfill status
`,
  });
  for (const kind of ['orders', 'products', 'discounts'] as const) {
    const since = new Option(
      '--since <when>',
      'created since this date (2026-10-05), or this long ago (30d)',
    )
      .argParser(parseBound)
      // Sending the whole history is rarely intended, and only orders have a long one.
      .makeOptionMandatory(kind === 'orders');
    declare<StartOptions>(group, kind, {
      summary: `send ${kind} created in a period, after showing their number and the time`,
      async run() {
        const { startBackfill } = await import('./backfill.ts');
        return (session, options) => startBackfill(session, kind, options);
      },
    })
      .addOption(since)
      .option(...ONE_SHOP)
      .option('--rate <n>', 'at most so many a second (default: 10)', wholeNumber(1, 1_000))
      .option('--yes', 'do not ask')
      .option('--again', 'start again, even if the same period was sent before');
  }
  declare(group, 'status', {
    summary: 'show the progress of backfills',
    run: async () => (await import('./backfill.ts')).showBackfills,
  }).option(...ANY_SHOP);
}

function registerImport(program: Command): void {
  const group = declare(program, 'import', {
    summary: 'give customers the points or cashback that they have in another program',
    examples: `\
  npx loyalty-connector import balances points.csv --check    finds all faults, gives nothing
  npx loyalty-connector import balances points.csv            shows what it would give, and asks
  npx loyalty-connector import balances points.csv --undo     takes back what it gave
`,
  });
  declare<ImportOptions>(group, 'balances', {
    summary: 'give the points or cashback of a CSV file, each customer once',
    description:
      'Columns: customer (its id in the store) or email, points or cashback, and reason, which customers do not see. A customer whom only the store knows is created in the loyalty service first. Stopped or killed, the same command goes on. A corrected file of the same name gives to nobody twice. Ends with 0 when all is done, 1 when rows were refused or were given another amount, and 2 when the file has faults.',
    run: async () => (await import('./import-balances.ts')).importBalances,
  })
    .argument('<file>', 'CSV in UTF-8, with commas or semicolons')
    .option(...ONE_SHOP)
    .option('--name <name>', 'of the import (default: the file, without its ending)')
    .option(
      '--per-second <n>',
      'at most so many changes a second (default: 5)',
      wholeNumber(1, 1_000),
    )
    .option('--check', 'only look for faults')
    .option('--undo', 'take back what was given, where the loyalty service allows it')
    .option('--yes', 'do not ask');
}

const PORTS = 'webhooks, gateway, store, loyalty, metrics, shop, console';
const HIGHEST_FIRST_PORT = 65_535 - 6;

function registerStart(program: Command, createProgram: () => Command): void {
  declare(program, 'start', {
    summary: 'run the whole connector on this machine, with a store and a loyalty service',
    description:
      'Runs the stack as it would be deployed, between a store sandbox and a loyalty sandbox. Plays a short day in the store, compares both sides, and keeps running.',
    examples: `\
  npx loyalty-connector start                       plays a day, then keeps running
  npx loyalty-connector start --once                ends after the comparison, for a script
  npx loyalty-connector start --data .connector/data --no-demo
`,
  })
    .option('--once', 'end after the comparison: exit code 0 if both sides agree, 1 otherwise')
    .addOption(new Option('--no-demo', 'start without playing the day').conflicts('once'))
    .addOption(
      new Option('--new', 'start as after a first deployment, for "setup" to complete').conflicts([
        'once',
        'store',
      ]),
    )
    .addOption(
      new Option(
        '--store <platform>',
        'a store of this platform: a sandbox, or a real server, downloaded once',
      )
        .choices(PLATFORMS)
        .default(PLATFORMS[0]),
    )
    .option('--data <folder>', 'keep all data there and continue from it (default: in memory)')
    .option('--stage <name>', 'the stage of connector.config.NAME.ts', stageName, 'prod')
    .option(
      '--port <n>',
      `first of seven ports on 127.0.0.1 (${PORTS}); 0 uses any free ports`,
      wholeNumber(0, HIGHEST_FIRST_PORT),
      4030,
    )
    .action(async ({ once = false, new: isNew = false, ...options }) => {
      // It stops in order on signals of its own, so it takes no session.
      const { runStack } = await import('../../../local/stack/run-stack.ts');
      const { openLocalConsole } = await import('../ground/console/server.ts');
      process.exitCode = await runStack(
        { once, isNew, ...options, demo: options.demo && !isNew },
        (port, say) => openLocalConsole({ createProgram, port }, say),
      );
    });
}
