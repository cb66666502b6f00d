import connector from '../../connector.config.ts';
import { createWorker } from '../create-worker.ts';
import { unreachableStore } from '../unreachable-store.ts';

export const handler = createWorker(connector, 'sync-products', unreachableStore);
