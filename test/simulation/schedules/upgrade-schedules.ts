import { registerHooks } from 'node:module';
import { LedgerEntries, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { connectorScenario, workerOf } from './connector-scenario.ts';
import { refundPlot } from './refund-schedules.ts';

type Harness = typeof import('../../../local/harness/in-process-connector.ts');

const PROJECT = new URL('../../..', import.meta.url).href;
const NEXT = '?next-release';

/** The next release: the code of today a second time, with the numbers of the envelope and of the ledger raised. */
async function loadNextRelease(): Promise<Harness> {
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const isOurs = resolved.url.startsWith(PROJECT) && !resolved.url.includes('/node_modules/');
      if (!isOurs || !context.parentURL?.endsWith(NEXT)) return resolved;
      return { ...resolved, url: resolved.url + NEXT };
    },
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`formats.ts${NEXT}`)) return loaded;
      const source = 'export const ENVELOPE_VERSION = 2;\nexport const LEDGER_FORMAT = 2;\n';
      return { ...loaded, source };
    },
  });
  try {
    return await import(`${PROJECT}local/harness/in-process-connector.ts${NEXT}`);
  } finally {
    hooks.deregister();
  }
}

const next = await loadNextRelease();

/**
 * While a release is replaced by the next one, each has a receiver and a worker on the same queues and ledger.
 * The older one must neither read nor overwrite what the newer one wrote.
 */
export const upgradeScenario = connectorScenario((older) => {
  const { ledger } = older;
  const newer = next.openConnector({ beside: older });
  const written = new Set<string>();
  newer.parts.ledger = {
    ...ledger,
    async write(key, entry, readRevision) {
      const result = await ledger.write(key, entry, readRevision);
      if (result.kind === 'written') written.add(ledgerKeyText(key));
      return result;
    },
  };
  older.parts.ledger = {
    ...ledger,
    async readMany(keys) {
      const found = new LedgerEntries();
      for (const [text, entry] of await ledger.readMany(keys)) {
        if (written.has(text)) found.newer.set(text, 2);
        else found.set(text, entry);
      }
      return found;
    },
  };
  /** The last webhook comes to the receiver of the next release. */
  const deliver: typeof older.deliver = (delivery) => {
    const { deliver: send } = delivery.webhookId === 'change-2' ? newer : older;
    return send(delivery);
  };
  const plot = refundPlot({ takenBack: [1, 2], workers: 0 }, { ...older, deliver });
  return {
    ...plot,
    inside: [workerOf(older, 'orders', 'older worker'), workerOf(newer, 'orders', 'newer worker')],
    state: () => [plot.state?.(), [...written].sort()],
    settle: () => newer.drain(),
  };
});
