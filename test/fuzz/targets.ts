import type { FuzzTarget } from './fuzz-target.ts';

interface KnownTarget {
  /** Loaded only when it runs: some import a whole loyalty program. */
  readonly create: () => Promise<FuzzTarget>;
  /** Results of `run` that must occur, otherwise no input got past the first check. */
  readonly reaches: readonly string[];
}

export const fuzzTargets: Readonly<Record<string, KnownTarget>> = {
  'webhook-receiver': {
    create: async () => (await import('./targets/webhook-receiver.ts')).createTarget(),
    reaches: ['accepted', 'status 400', 'status 401'],
  },
  'event-readers': {
    create: async () => (await import('./targets/event-readers.ts')).createTarget(),
    reaches: ['snapshot', 'unreadable', 'task', 'ask-store'],
  },
  'event-envelope': {
    create: async () => (await import('./targets/event-envelope.ts')).createTarget(),
    reaches: ['event', 'unreadable'],
  },
  worker: {
    create: async () => (await import('./targets/worker.ts')).createTarget(),
    reaches: ['settled', 'parked'],
  },
  'point-receiver': {
    create: async () => (await import('./targets/point-receiver.ts')).createTarget(),
    reaches: ['accepted', 'status 401', 'status 405'],
  },
  'balance-worker': {
    create: async () => (await import('./targets/balance-worker.ts')).createTarget(),
    reaches: ['settled', 'parked'],
  },
  'app-proxy': {
    create: async () => (await import('./targets/app-proxy.ts')).createTarget(),
    reaches: ['status 200', 'status 400', 'status 401', 'status 404', 'status 409'],
  },
  'session-tokens': {
    create: async () => (await import('./targets/session-tokens.ts')).createTarget(),
    reaches: ['status 200', 'status 204', 'status 400', 'status 401', 'status 404', 'status 409'],
  },
  'flow-actions': {
    create: async () => (await import('./targets/flow-actions.ts')).createTarget(),
    reaches: ['status 200', 'status 400', 'status 401', 'status 404', 'status 422'],
  },
  'loyalty-answers': {
    create: async () => (await import('./targets/loyalty-answers.ts')).createTarget(),
    reaches: ['success', 'warning', 'business-error', 'transport-failure'],
  },
  'admin-answers': {
    create: async () => (await import('./targets/admin-answers.ts')).createTarget(),
    reaches: ['found', 'gone', 'written', 'unavailable'],
  },
  settings: {
    create: async () => (await import('./targets/settings.ts')).createTarget(),
    reaches: ['valid', 'faulty'],
  },
};
