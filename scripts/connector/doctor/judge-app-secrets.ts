import { type Finding, pass, warn } from './finding.ts';

/** What one shop's webhooks are signed with, and its app asks with. */
export interface AppSecrets {
  readonly shop: string;
  /** The current webhook secret and, during a rotation, the older one. */
  readonly webhook: readonly string[];
  readonly clientSecret: string | undefined;
}

/** Compares secrets and tells nothing of them. */
export function judgeAppSecrets(all: readonly AppSecrets[]): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      if (!one.webhook.some((secret) => other.webhook.includes(secret))) continue;
      findings.push(
        warn(
          `${one.shop} and ${other.shop} share one app secret: a body of one is valid at the other`,
          'Give each shop an app of its own. Until then whoever gets hold of a body can replay it there.',
        ),
      );
    }
    if (one.clientSecret !== undefined && !one.webhook.includes(one.clientSecret)) {
      findings.push(
        warn(
          `${one.shop}: the store secret holds another client secret than the one webhooks are checked with`,
          'An app signs webhooks with its client secret: one of the two was not rotated.',
        ),
      );
    }
  }
  if (findings.length > 0) return findings;
  return all.length > 1 ? [pass('no two shops share an app secret')] : [];
}
