import type { PointTokens } from '../../../shared/core/balances/receive-points.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

/** Whether point events can be accepted. Undefined tokens: never set, or unusable. */
export function judgePointTokens(
  domain: string,
  tokens: PointTokens | undefined,
  doNext: (command: string) => string,
): Finding {
  const setUp = `storefront setup --shop ${domain}`;
  if (!tokens) {
    return fail(`${domain}: no token is set, so none is accepted`, {
      run: doNext(`${setUp} --yes`),
    });
  }
  return tokens.previous === undefined
    ? pass(`${domain}: the token is set`)
    : warn(`${domain}: the previous token is still accepted`, {
        say: 'When the loyalty service sends the new one:',
        run: doNext(`${setUp} --finish --yes`),
      });
}
