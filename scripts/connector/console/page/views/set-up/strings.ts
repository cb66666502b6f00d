import type { RewardReading } from '../../../../doctor/describe-reward.ts';
import type { Finding } from '../../../../doctor/finding.ts';

export const strings = {
  verdicts: {
    pass: 'Fine',
    warn: 'Look',
    fail: 'Failed',
    info: 'Note',
  } satisfies Readonly<Record<Finding['verdict'], string>>,
  readings: {
    code: 'a code',
    'not-redeemable': 'shown only',
    'unknown-type': 'not understood',
    unread: 'not read',
  } satisfies Readonly<Record<RewardReading['kind'] | 'unread', string>>,
};
