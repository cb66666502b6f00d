import { compareVersions, VERSION } from '../../../shared/config/release.ts';

export interface VersionVerdict {
  readonly kind: 'fine' | 'refused';
  readonly text?: string;
}

/** Whether this version may follow the deployed one; undefined: nothing whole is deployed. */
export function judgeVersion(
  deployed: string | undefined,
  rollBack: boolean,
  own = VERSION,
): VersionVerdict {
  const order = deployed === undefined ? 'same' : compareVersions(own, deployed);
  switch (order) {
    case 'same':
      return { kind: 'fine' };
    case 'newer':
      return {
        kind: 'fine',
        text: `Version ${deployed} is deployed, and this is ${own}: an upgrade. CHANGELOG.md says what changes.`,
      };
    case 'older': {
      const text = `Version ${deployed} is deployed, and this is ${own}: a rollback. No data is deleted. What ${deployed} wrote in a
newer form is not read by ${own}: such orders, customers and codes wait until ${deployed} is deployed again,
and become dead letters (newer-release) after the retry window. What only ${deployed} can do ends.`;
      return rollBack
        ? { kind: 'fine', text }
        : {
            kind: 'refused',
            text: `${text}\nNothing was deployed. To go back on purpose: --roll-back.`,
          };
    }
  }
}

/** How to return to the version that was deployed before this newer one. */
export function goingBack(before: string, own = VERSION): string | undefined {
  if (compareVersions(own, before) !== 'newer') return undefined;
  return `To go back: npm install --save-exact loyalty-connector@${before}, then npx loyalty-connector deploy --roll-back`;
}
