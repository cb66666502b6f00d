import { describe, expect, it } from 'vitest';
import { versionDifference } from '../../../scripts/connector/deployment/deployment.ts';
import { compareVersions } from '../../../shared/config/release.ts';

describe('versions', () => {
  it.each([
    ['0.2.0', '0.1.0', 'newer'],
    ['0.2.0', '0.10.0', 'older'],
    ['1.0.0', '0.99.99', 'newer'],
    ['0.2.0', '0.2.1', 'older'],
    ['0.2.0', '0.2.0', 'same'],
    ['0.2.0-rc.1', '0.2.0', 'same'],
    ['nonsense', '0.0.1', 'older'],
  ] as const)('%s beside %s is %s', (one, other, order) => {
    expect(compareVersions(one, other)).toBe(order);
  });

  it('that differ are reported with what to do', () => {
    expect(versionDifference('0.2.0', '0.2.0')).toBeUndefined();
    expect(versionDifference('0.1.0', '0.2.0')?.older).toBe('stack');
    expect(versionDifference('0.3.0', '0.2.0')?.older).toBe('command');
  });
});
