import { compareVersions, VERSION } from '../../../shared/config/release.ts';

/** Stacks of 0.1.0 do not say their version. */
export const versionIn = (outputs: Readonly<Record<string, string>>): string =>
  outputs.Version ?? '0.1.0';

/** What is wrong and what to do if command and stack are of different versions. */
export function versionDifference(
  stack: string,
  command = VERSION,
): { readonly what: string; readonly next: string } | undefined {
  const what = `the stack has version ${stack}, this command ${command}`;
  switch (compareVersions(command, stack)) {
    case 'same':
      return undefined;
    case 'newer':
      return { what, next: 'Deploy this version: npx loyalty-connector deploy' };
    case 'older':
      return {
        what,
        next: `Update the command: npm install --save-exact loyalty-connector@${stack}`,
      };
  }
}
