import { explainAwsError } from '../deployment/explain-aws-error.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { Problem } from '../problem.ts';
import type { CommonOptions, Session } from '../session.ts';
import { nextCommand } from '../terminal/next-command.ts';
import { collectStatus } from './collect-status.ts';
import { judgeStatus } from './judge-status.ts';
import { printStatus } from './print-status.ts';

/** Collect → judge → show. */
export async function showStatus(
  { terminal, json, findDeployment }: Session,
  options: CommonOptions,
): Promise<ExitCode> {
  const deployment = await findDeployment();
  const { alarms, healing } = deployment.connector;
  const explain = (error: unknown) => oneLine(explainAwsError(error, options) ?? error);
  const status = await collectStatus(deployment, explain, new Date());
  const verdict = judgeStatus(status, {
    oldestMessageMinutes: alarms.oldestMessageMinutes,
    reconcileEveryMinutes: healing.everyMinutes,
    healedPercent: alarms.healedPercent,
  });
  const troubles = verdict.troubles.map(({ what, next }) => ({
    what,
    next: nextCommand(deployment, next),
  }));
  const judged = { ...verdict, troubles };
  const { stack, stage, region, where } = deployment;
  if (json) terminal.json({ stack, stage, region, where, ...judged, ...status });
  else printStatus(terminal, { stack, region, where }, status, judged);
  return verdict.healthy ? EXIT.fine : EXIT.failed;
}

function oneLine(error: unknown): string {
  if (error instanceof Problem) return error.message.replace(/\.$/, '');
  return error instanceof Error ? error.message.replace(/\s+/g, ' ') : 'an unknown error';
}
