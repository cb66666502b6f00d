import connector from '../../connector.config.ts';
import { createReconcile } from '../create-reconcile.ts';

export const handler = createReconcile(connector);
