import connector from '#settings';
import { createReconcile } from '../create-reconcile.ts';

export const handler = createReconcile(connector);
