import type { Command } from 'commander';
import { parseBound, perSecond, wholeNumber } from '../arguments.ts';
import { runAction } from '../run-action.ts';
import type { PaceOptions, StartOptions } from './pace.ts';

const KINDS = ['orders', 'products', 'discounts'] as const;

/** `loyalty-connector backfill …` */
export function registerBackfill(program: Command): void {
  const group = program
    .command('backfill')
    .summary('send what the store had before the connector')
    .description(
      "Sends orders, products or discount codes of the past through the connector's own queues, from one file that the store writes. Orders are marked as history, so that campaigns need not fire. It can be stopped at any time and goes on where it stopped.",
    );
  for (const kind of KINDS) registerKind(group, kind);
  paced(group.command('resume'))
    .argument('<id>', 'of the backfill, as its start and "backfill status" show it')
    .summary('go on with one that was stopped')
    .option('--shop <shop>', 'by its domain or path, where there are several')
    .action(
      runAction<PaceOptions>(async (session, options, id = '') => {
        const { resumeBackfill } = await import('./resume-backfill.ts');
        return resumeBackfill(session, id, options);
      }),
    );
  group
    .command('status')
    .argument('[id]', 'one of them')
    .summary('how far they have come')
    .option('--shop <shop>', 'by its domain or path, where there are several')
    .action(
      runAction<{ readonly shop?: string }>(async (session, options, id) => {
        const { showBackfills } = await import('./report.ts');
        return showBackfills(session, id, options);
      }),
    );
}

function registerKind(group: Command, kind: (typeof KINDS)[number]): void {
  const command = paced(group.command(kind))
    .summary(`${kind} created in a span: a dry run with an estimate unless --yes`)
    .description(
      `Sends the ${kind} that were created in a span. Without --yes it only says how many there are and how long it would take.`,
    )
    .option('--until <when>', 'up to this date, or so long ago (default: now)', parseBound)
    .option('--shop <shop>', 'by its domain or path, where there are several')
    .option('--yes', 'do it; without this nothing is sent')
    .option('--again', 'from the beginning, though the same span was sent before');
  const since = ['--since <when>', 'from this date on, or so long ago: 2025-01-01, 90d'] as const;
  // A shop's whole past is more than most mean to send, and only orders have so much of it.
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
      'so many a second at most, for the sake of the loyalty service (default: 10/s)',
      perSecond(1_000),
    )
    .option(
      '--most-waiting <n>',
      'add nothing while more than this wait in the queue (default: 500)',
      wholeNumber(1, 1_000_000),
    );
}
