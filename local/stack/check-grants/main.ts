import { openAssemblyFolder } from '../assembly-folder.ts';
import type { Grant } from '../iam/grants.ts';
import { portsFrom } from '../ports.ts';
import { startStack } from '../running-stack.ts';
import { loadConnector, synthesize } from '../synthesize.ts';
import { type Finding, GrantCheck } from './check-grants.ts';

/** Says of every grant of the template what fails without it. Exits with 1 when one is superfluous or missing. */
const stage = 'prod';
const connector = await loadConnector(stage);
const folder = openAssemblyFolder();
const stack = await startStack({
  connector,
  assembly: synthesize(stage, folder.path),
  ports: portsFrom(0),
  onProblem: () => {},
});
const stopAll = async () => {
  await stack.stop();
  folder.remove();
};
const stop = () => void stopAll().then(() => process.exit(130));
process.once('SIGINT', stop).once('SIGTERM', stop);

const short = (grant: Grant): string =>
  [grant.role, grant.action, grant.resource.split(':').slice(5).join(':')]
    .map((text) => text.replaceAll(`${stack.name}-`, ''))
    .join('  ');
/** One store runs here, so nobody asks for the secrets of the others. */
function isOfAnotherShop({ action, resource }: Grant): boolean {
  const others = connector.shops.slice(1).map(({ path }) => `/${path}/`);
  return action.startsWith('secretsmanager:') && others.some((path) => resource.includes(path));
}

function tell(finding: Finding): string {
  switch (finding.kind) {
    case 'needed':
      return `needed: ${finding.failed}`;
    case 'superfluous':
      return `SUPERFLUOUS: nothing fails, although it was asked for ${finding.missed} times`;
    case 'unclear':
      return `UNCLEAR: ${finding.failed}, although nothing was denied for want of it`;
  }
}

try {
  const check = new GrantCheck(stack);
  const missing = await check.findMissing();
  if (missing !== undefined) {
    console.log(`With every grant in place this fails: ${missing}`);
    process.exitCode = 1;
  } else {
    console.log('With every grant in place everything works. Without it fails:\n');
    const all = stack.access.grants();
    const grants = all.filter((grant) => !isOfAnotherShop(grant));
    if (grants.length < all.length) {
      console.log(
        `(Not looked at: ${all.length - grants.length} secrets of shops that do not run here.)`,
      );
    }
    const found = { needed: 0, superfluous: 0, unclear: 0 };
    for (const grant of grants) {
      const finding = await check.check(grant);
      found[finding.kind] += 1;
      console.log(`${short(grant)}\n    ${tell(finding)}`);
    }
    const { superfluous, unclear } = found;
    const doubt = unclear > 0 ? `, ${unclear} unclear: run it again on a quiet machine` : '';
    console.log(`\n${grants.length} grants, ${superfluous} superfluous, none missing${doubt}.`);
    if (found.needed < Math.max(grants.length, 1)) process.exitCode = 1;
  }
} finally {
  await stopAll();
}
