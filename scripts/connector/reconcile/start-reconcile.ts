import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { nextCommand } from '../deployment/deployment.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';

export interface ReconcileOptions {
  readonly deep?: boolean;
}

export async function startReconcile(
  { terminal, json, findDeployment, beginChange }: Session,
  { deep = false }: ReconcileOptions,
): Promise<ExitCode> {
  const deployment = await findDeployment();
  const change = await beginChange(deployment);
  await new LambdaClient(deployment.aws).send(
    new InvokeCommand({
      FunctionName: deployment.output('ReconcileFunction'),
      // A run may take a quarter of an hour.
      InvocationType: 'Event',
      Payload: Buffer.from(JSON.stringify(deep ? { mode: 'deep' } : {})),
    }),
  );
  change.count({ started: 1 });
  if (json) terminal.json({ stack: deployment.stack, started: true, deep });
  else terminal.line(`Started. To see what it found: ${nextCommand(deployment, 'status')}`);
  return EXIT.fine;
}
