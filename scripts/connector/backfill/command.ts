import type { Command } from 'commander';
import { parseBound, perSecond, wholeNumber } from '../arguments.ts';
import { runAction } from '../run-action.ts';
import type { PaceOptions, StartOptions } from './run-backfill.ts';

const KINDS = ['orders', 'products', 'discounts'] as const;

const EXAMPLES = `
Examples:
  npx loyalty-connector backfill orders --since 2026-01-01 --until 2026-03-01    only estimates
  npx loyalty-connector backfill orders --since 90d --rate 20/s --yes
  npx loyalty-connector backfill products --yes
  npx loyalty-connector backfill discounts --yes
  npx loyalty-connector backfill status
  npx loyalty-connector backfill resume orders_2026-01-01_2026-03-01
`;

/** `loyalty-connector backfill …` */
export function registerBackfill(program: Command): void {
  const group = program
    .command('backfill')
    .summary('send orders, products or discounts from before the connector')
    .description(
      "Sends orders, products or discount codes of the past through the connector's own queues, from one file that the store writes. Orders are marked as history, so that campaigns can ignore them. It can be stopped at any time and resumed.",
    )
    .addHelpText('afterAll', EXAMPLES);
  for (const kind of KINDS) registerKind(group, kind);
  paced(group.command('resume'))
    .argument('<id>', 'the id of the backfill, as its start and "backfill status" show it')
    .summary('resume a stopped backfill')
    .option('--shop <shop>', 'by its domain or path, where there are several')
    .action(
      runAction<PaceOptions>(async (session, options, id = '') => {
        const { resumeBackfill } = await import('./start-backfill.ts');
        return resumeBackfill(session, id, options);
      }),
    );
  group
    .command('status')
    .argument('[id]', 'the id of one backfill')
    .summary('show the progress of backfills')
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .action(
      runAction<{ readonly shop?: string }>(async (session, options, id) => {
        const { showBackfills } = await import('./report.ts');
        return showBackfills(session, id, options);
      }),
    );
}

function registerKind(group: Command, kind: (typeof KINDS)[number]): void {
  const command = paced(group.command(kind))
    .summary(`send ${kind} created in a period: a dry run with an estimate unless --yes`)
    .description(
      `Sends the ${kind} that were created in a period. Without --yes it only estimates their number and the time.`,
    )
    .option(
      '--until <when>',
      'created before this date, or this long ago (default: now)',
      parseBound,
    )
    .option('--shop <shop>', 'by its domain or path, where there are several')
    .option('--yes', 'send them; without this nothing is sent')
    .option('--again', 'start again, although the same period was sent before');
  const since = [
    '--since <when>',
    'created since this date, or this long ago: 2025-01-01, 90d',
  ] as const;
  // Sending the whole history is rarely intended, and only orders have a long one.
  if (kind === 'orders') command.requiredOption(...since, parseBound);
  else command.option(...since, parseBound);
  command.action(
    runAction<StartOptions>(async (session, options) => {
      const { startBackfill } = await import('./start-backfill.ts');
      return startBackfill(session, kind, options);
    }),
  );
}

function paced(command: Command): Command {
  return command
    .option(
      '--rate <n/s>',
      'at most this many a second, to protect the loyalty service (default: 10/s)',
      perSecond(1_000),
    )
    .option(
      '--most-waiting <n>',
      'send nothing while more messages than this wait in the queue (default: 500)',
      wholeNumber(1, 1_000_000),
    );
}
