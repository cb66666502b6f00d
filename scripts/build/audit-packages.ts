import { spawnSync } from 'node:child_process';

/**
 * Asks the registry for known holes in the packages of the lock file. Needs the network, which tests do
 * without: run it before a release, or daily in a pipeline that has one.
 *
 * Ends with 0: none in what is deployed; 1: some; 2: the registry could not be asked.
 */
type Audit =
  | { readonly kind: 'answered'; readonly severities: readonly string[] }
  | { readonly kind: 'not-answered'; readonly why: string };

function audit(what: readonly string[]): Audit {
  const { stdout } = spawnSync('npm', ['audit', '--json', ...what], { encoding: 'utf8' });
  try {
    const { metadata, error, message } = JSON.parse(stdout);
    if (!metadata?.vulnerabilities) {
      return { kind: 'not-answered', why: error?.summary || message || 'no answer' };
    }
    const counted = Object.entries<number>(metadata.vulnerabilities);
    const severities = counted
      .filter(([severity, count]) => severity !== 'total' && count > 0)
      .map(([severity, count]) => `${count} ${severity}`);
    return { kind: 'answered', severities };
  } catch {
    return { kind: 'not-answered', why: 'npm gave no answer that can be read' };
  }
}

const deployed = audit(['--omit=dev']);
if (deployed.kind === 'not-answered') {
  console.error(
    `The registry could not be asked (${deployed.why}): nothing is known about the packages.`,
  );
  process.exitCode = 2;
} else {
  const all = audit([]);
  const tools = all.kind === 'answered' ? all.severities.join(', ') || 'none' : 'not known';
  console.log(
    `Known vulnerabilities in deployed packages: ${deployed.severities.join(', ') || 'none'}.`,
  );
  console.log(`With the tools: ${tools}. "npm audit" shows which.`);
  if (deployed.severities.length > 0) process.exitCode = 1;
}
