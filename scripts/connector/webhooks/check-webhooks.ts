import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { nextCommand } from '../terminal/next-command.ts';
import { findingsDocument, isHealthy, printFindings } from './describe-findings.ts';
import { findSubscriptions, openSubscriptions, type WebhookOptions } from './open-subscriptions.ts';

export async function checkWebhooks(session: Session, options: WebhookOptions): Promise<ExitCode> {
  const { terminal } = session;
  const deployment = await session.findDeployment();
  const found = await findSubscriptions(openSubscriptions(deployment), deployment, options);
  const healthy = found.every(isHealthy);
  if (session.json) {
    terminal.json({
      madeBy: deployment.connector.healing.subscriptions,
      inOrder: healthy,
      shops: found.map(findingsDocument),
    });
  } else {
    for (const one of found) printFindings(terminal, one);
    if (deployment.connector.healing.subscriptions === 'app-configuration') {
      terminal.line(
        "The app's configuration makes the subscriptions, which cannot be seen from here: compare shopify.app.toml with the output of",
      );
      terminal.line(`  ${nextCommand(deployment, 'webhooks sync')}`);
    } else if (!healthy) {
      terminal.line(`See what would be done: ${nextCommand(deployment, 'webhooks sync')}`);
    }
  }
  return healthy ? EXIT.fine : EXIT.failed;
}
