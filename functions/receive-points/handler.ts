import connector from '../../connector.config.ts';
import { createPointsReceiver } from '../create-points-receiver.ts';

export const handler = createPointsReceiver(connector);
