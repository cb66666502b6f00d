import { join } from 'node:path';
import type { Grant } from '../iam/grants.ts';
import { portsFrom } from '../ports.ts';
import { startStack } from '../running-stack.ts';
import { loadConnector, PROJECT, synthesize } from '../synthesize.ts';
import { GrantCheck } from './check-grants.ts';

/** Says of every grant of the template what fails without it. Exits with 1 when one is superfluous or missing. */
const stage = 'prod';
const connector = await loadConnector(stage);
const stack = await startStack({
  connector,
  assembly: synthesize(stage, join(PROJECT, '.connector/grants-assembly')),
  ports: portsFrom(0),
  onProblem: () => {},
});
const stop = () => void stack.stop().then(() => process.exit(130));
process.once('SIGINT', stop).once('SIGTERM', stop);

const short = (grant: Grant): string =>
  [grant.role, grant.action, grant.resource.split(':').slice(5).join(':')]
    .map((text) => text.replaceAll(`${stack.name}-`, ''))
    .join('  ');
try {
  const check = new GrantCheck(stack);
  const missing = await check.findMissing();
  if (missing !== undefined) {
    console.log(`With every grant in place this fails: ${missing}`);
    process.exitCode = 1;
  } else {
    console.log('With every grant in place everything works. Without it fails:\n');
    const grants = stack.access.grants();
    let superfluous = 0;
    for (const grant of grants) {
      const finding = await check.check(grant);
      if (finding.kind === 'superfluous') superfluous += 1;
      const told = finding.kind === 'needed' ? `needed: ${finding.failed}` : 'SUPERFLUOUS';
      console.log(`${short(grant)}\n    ${told}`);
    }
    console.log(`\n${grants.length} grants, ${superfluous} superfluous, none missing.`);
    if (grants.length === 0 || superfluous > 0) process.exitCode = 1;
  }
} finally {
  await stack.stop();
}
