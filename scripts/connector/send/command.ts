import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import { samples } from './samples.ts';
import type { SendOptions } from './send-webhook.ts';

const EXAMPLES = `
Samples (invented entities; orders are marked as tests and therefore skipped):
${samples.map(({ topic, what }) => `  ${topic.padEnd(18)}  ${what}`).join('\n')}

Examples:
  npx loyalty-connector send --sample orders/create
  npx loyalty-connector send --sample orders/fulfilled --real        booked in the loyalty service
  npx loyalty-connector send --file order.json --topic orders/updated --duplicate
  npx loyalty-connector send --sample orders/create --ask-secret \\
      --to https://example.com/shop --shop my.myshopify.com

The webhook is signed with the shop's own secret, read from Secrets Manager or typed in. Ends with 0
when every answer was 2xx, as the store would see it, and with 1 otherwise.
`;

/** `loyalty-connector send` */
export function registerSend(program: Command): void {
  program
    .command('send')
    .summary('send a signed webhook to test a deployment')
    .description('Sends one signed webhook, a built-in sample or the bytes of a file.')
    .option('--sample <topic>', 'one of the samples below')
    .option('--file <path>', 'a body, sent byte for byte; needs --topic')
    .option('--topic <topic>', 'the topic of a file: orders/updated')
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--to <url>', "another address than the deployment's")
    .option('--webhook-id <id>', 'the name of the delivery (default: a new one)')
    .option('--duplicate', 'send the same delivery twice, as the store sometimes does')
    .option('--real', 'do not mark a sample order as a test')
    .option('--ask-secret', 'ask for the secret to sign with instead of reading it')
    .option('--yes', 'do not ask before a sample that the loyalty service would keep')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<SendOptions>(async (session, options) => {
        const { sendWebhook } = await import('./send-webhook.ts');
        return sendWebhook(session, options);
      }),
    );
}
