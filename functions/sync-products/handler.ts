import connector from '#settings';
import { createWorker } from '../create-worker.ts';

export const handler = createWorker(connector, 'products');
