import type { PointTokens } from '../../../shared/core/balances/point-tokens.ts';
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
  const { shared, ...byTopic } = tokens;
  if (!shared) {
    const what = `${domain}: accepted at the addresses of 0.1.0; one subscription for all topics is simpler`;
    return warn(what, { run: doNext(`${setUp} --yes`) });
  }
  const hasOlder = shared.previous !== undefined || Object.keys(byTopic).length > 0;
  return hasOlder
    ? warn(`${domain}: older tokens are still accepted`, {
        say: 'When the loyalty service sends the new one:',
        run: doNext(`${setUp} --finish --yes`),
      })
    : pass(`${domain}: the token is set`);
}
