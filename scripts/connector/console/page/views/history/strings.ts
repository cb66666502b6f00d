import type { ChangeEnded } from '../../../../history/audit-records.ts';

export const strings = {
  results: {
    finished: 'Finished',
    failed: 'Failed',
    interrupted: 'Stopped',
    'no-end': 'No end recorded',
  } satisfies Readonly<Record<ChangeEnded['result'] | 'no-end', string>>,
};
