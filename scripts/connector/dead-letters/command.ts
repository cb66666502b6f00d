import type { Command } from 'commander';
import { runAction } from '../run-action.ts';

/** `connector dead-letters …` */
export function registerDeadLetters(program: Command): void {
  const group = program
    .command('dead-letters')
    .summary('list, show, replay and drop what could not be delivered')
    .description(
      'What could not be delivered waits in a dead-letter queue, with its reason, for a person.',
    );
  group
    .command('list')
    .summary('what is there, grouped by reason')
    .action(
      runAction(async (session) => {
        const deployment = await session.findDeployment();
        session.terminal.line(deployment.output('OrdersDeadLetterQueueUrl'));
        return 0;
      }),
    );
}
