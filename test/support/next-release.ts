import { vi } from 'vitest';

/** The next release: the code of today, with the numbers of the envelope and of the ledger raised. */
export async function loadNextRelease() {
  vi.resetModules();
  vi.doMock('../../shared/core/events/formats.ts', () => ({
    ENVELOPE_VERSION: 2,
    LEDGER_FORMAT: 2,
  }));
  try {
    const [connector, ledger, queues] = await Promise.all([
      import('../../local/harness/in-process-connector.ts'),
      import('../../shared/aws/dynamodb-ledger.ts'),
      import('../../shared/core/events/message-body.ts'),
    ]);
    return { ...connector, ...ledger, ...queues };
  } finally {
    vi.doUnmock('../../shared/core/events/formats.ts');
    vi.resetModules();
  }
}
