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
  const running = checks.map(async (check) => ({
    name: check.name,
    findings: await within(timeoutMs, attempt(check)),
  }));
  for (const result of running) yield await result;

  async function attempt({ run }: Check): Promise<readonly Finding[]> {
    try {
      return await run();
    } catch (error) {
      const { what, fix } = explain(error);
      return [fail(what, fix)];
    }
  }
}

async function within(
  timeoutMs: number,
  work: Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    const what = `no answer within ${timeoutMs / 1000} s`;
    const findings = [fail(what, 'Check the network from here, then run the command again.')];
    timer = setTimeout(() => resolve(findings), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
