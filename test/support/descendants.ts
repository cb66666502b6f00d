import { execFileSync } from 'node:child_process';

interface Descendant {
  readonly pid: number;
  readonly command: string;
}

/** The processes that this one has started, and those that they have started. */
export function descendantsOf(pid: number): readonly Descendant[] {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const all = listed.split('\n').flatMap((line) => {
    const [, own, parent, command = ''] = /^ *(\d+) +(\d+) +(.*)$/.exec(line) ?? [];
    // This one has ended.
    const isListing = command.startsWith('ps -A -o pid=');
    return own && !isListing ? [{ pid: Number(own), parent: Number(parent), command }] : [];
  });
  const below = (of: number): readonly Descendant[] =>
    all
      .filter(({ parent }) => parent === of)
      .flatMap((child) => [{ pid: child.pid, command: child.command }, ...below(child.pid)]);
  return below(pid);
}
