import type { ViewName } from './router.ts';

/** Of what surrounds every view, and of the parts that several views use. */
export const strings = {
  views: {
    now: 'Now',
    story: 'Find',
    letters: 'Dead letters',
    customers: 'Customers',
    healing: 'Healing',
    'set-up': 'Set-up',
    history: 'What was done',
  } satisfies Readonly<Record<ViewName, string>>,
  /** Commands that are suggested and run here, by their name. */
  actions: {
    resume: 'End the pause',
    'retry-now': 'Send what waits now',
    reconcile: 'Compare now',
    'webhooks sync': 'Repair the subscriptions',
    resend: 'Send again',
    'dead-letters replay': 'Send again',
  } as Readonly<Record<string, string>>,
};
