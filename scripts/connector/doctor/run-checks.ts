import { type Check, type Finding, fail } from './finding.ts';

export interface CheckResult {
  readonly name: string;
  readonly findings: readonly Finding[];
}

/**
 * All at once, told in their order as soon as each is there. A check that breaks or hangs is a finding
 * of its own and holds nobody up.
 */
export async function* runChecks(
  checks: readonly Check[],
  timeoutMs: number,
  explain: (error: unknown) => { readonly what: string; readonly fix: string },
): AsyncGenerator<CheckResult> {
  const running = checks.map(async ({ name, run }) => {
    const findings = await Promise.race([attempt(run), after(timeoutMs)]);
    return { name, findings };
  });
  for (const result of running) yield await result;

  async function attempt(run: Check['run']): Promise<readonly Finding[]> {
    try {
      return await run();
    } catch (error) {
      const { what, fix } = explain(error);
      return [fail(what, fix)];
    }
  }
}

function after(timeoutMs: number): Promise<readonly Finding[]> {
  const what = `no answer within ${timeoutMs / 1000} s`;
  const findings = [fail(what, 'Check the network from here, then run the command again.')];
  return new Promise((resolve) => {
    // Must not keep the process alive once everything has answered.
    setTimeout(() => resolve(findings), timeoutMs).unref();
  });
}
