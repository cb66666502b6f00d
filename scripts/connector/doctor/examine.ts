import { VERSION } from '../../../shared/config/release.ts';
import { LEDGER_FORMAT } from '../../../shared/core/events/formats.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { explainAwsError } from '../deployment/explain-aws-error.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { CommonOptions, Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printable, wrap } from '../terminal/text.ts';
import { type CheckResult, runChecks } from './finding.ts';
import { openChecks } from './open-checks.ts';

const TIMEOUT_MS = 30_000;

/** For `--json`. */
export interface DoctorDocument
  extends Pick<Deployment, 'stack' | 'stage' | 'region' | 'where' | 'version'> {
  readonly commandVersion: string;
  /** The newest form of the ledger's items that this command reads. */
  readonly ledgerFormat: number;
  readonly failed: number;
  readonly warned: number;
  readonly checks: readonly CheckResult[];
}

/** Find the deployment → run all checks in parallel → print each finding with its fix. */
export async function examine(
  { terminal, json, findDeployment }: Session,
  options: CommonOptions,
): Promise<ExitCode> {
  // Throws a `Problem` for wrong settings or a missing stack.
  const deployment = await findDeployment();
  const explain = (error: unknown) => problemOf(error, options);
  const checks = openChecks(deployment, (error) => explain(error).what);
  const results: CheckResult[] = [];
  if (!json) terminal.line(`${placeOf(deployment)}\n`);
  for await (const result of runChecks(checks, TIMEOUT_MS, explain)) {
    results.push(result);
    if (!json) printResult(terminal, result);
  }
  const findings = results.flatMap((result) => result.findings);
  const failed = findings.filter(({ verdict }) => verdict === 'fail').length;
  const warned = findings.filter(({ verdict }) => verdict === 'warn').length;
  const { stack, stage, region, where, version } = deployment;
  const versions = { version, commandVersion: VERSION, ledgerFormat: LEDGER_FORMAT };
  if (json) {
    const document: DoctorDocument = {
      ...{ stack, stage, region, where, ...versions, failed, warned },
      checks: results,
    };
    terminal.json(document);
  } else terminal.line(`\n${summaryOf(failed, warned)}`);
  return failed === 0 ? EXIT.fine : EXIT.failed;
}

function problemOf(error: unknown, options: CommonOptions) {
  const problem = error instanceof Problem ? error : explainAwsError(error, options);
  const said = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error';
  const what = (problem?.message ?? said).replace(/\s+/g, ' ').replace(/\.$/, '');
  return { what, fix: problem?.next ?? 'Run the command again; --verbose shows more.' };
}

const placeOf = ({ stack, region, where }: Deployment) =>
  `${stack} ${where === 'aws' ? `in ${region}` : 'on this machine'}`;

const MARKS = {
  pass: { text: 'pass', style: 'green' },
  warn: { text: 'warn', style: 'yellow' },
  fail: { text: 'FAIL', style: 'red' },
  info: { text: 'info', style: 'dim' },
} as const;

const MARK_WIDTH = 6;
const NAME_WIDTH = 14;
const LEAST_ROOM = 40;

export function printResult(terminal: Terminal, { name, findings }: CheckResult): void {
  const indent = ' '.repeat(MARK_WIDTH + NAME_WIDTH);
  const room = Math.max(terminal.width - indent.length, LEAST_ROOM);
  for (const [index, { verdict, what, fix }] of findings.entries()) {
    const { text, style } = MARKS[verdict];
    const [first = '', ...rest] = wrap(printable(what), room);
    terminal.line(`${terminal.style(style, text)}  ${name.padEnd(NAME_WIDTH)}${first}`);
    for (const more of rest) terminal.line(`${indent}${more}`);
    // Not wrapped: a command that is broken over two lines cannot be copied.
    const isLast = fix !== findings[index + 1]?.fix;
    if (fix !== undefined && isLast) terminal.line(`${indent}fix: ${printable(fix)}`);
  }
}

function summaryOf(failed: number, warned: number): string {
  const warnings = `${warned} ${warned === 1 ? 'warning' : 'warnings'}`;
  if (failed === 0) return warned === 0 ? 'All checks passed.' : `Nothing failed; ${warnings}.`;
  return `${failed} failed, ${warnings}. Fix the first one and run the command again.`;
}
