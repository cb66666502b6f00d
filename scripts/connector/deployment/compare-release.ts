import { compareVersions, VERSION } from '../../../shared/config/release.ts';

/** How command and stack differ in their versions, if they do. */
export function versionDifference(
  stack: string,
  command = VERSION,
): { readonly what: string; readonly older: 'stack' | 'command' } | undefined {
  const order = compareVersions(command, stack);
  if (order === 'same') return undefined;
  const what = `the stack has version ${stack}, this command ${command}`;
  return { what, older: order === 'newer' ? 'stack' : 'command' };
}
