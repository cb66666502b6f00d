import { isLoopbackHost } from '../sandbox-kit/http/loopback-host.ts';
import { jsonAnswer, respond } from '../sandbox-kit/http/respond.ts';
import { type Server, startServer } from '../sandbox-kit/http/start-server.ts';
import type { Metrics } from './functions/metrics.ts';

/** In place of CloudWatch's metrics: the figures of the last hour. */
export function startMetricsServer(metrics: Metrics, port: number): Promise<Server> {
  return startServer(async (request, response) => {
    if (!isLoopbackHost(request.headers.host)) respond(response, jsonAnswer(403, {}));
    else if (request.method !== 'GET') respond(response, jsonAnswer(405, {}, { allow: 'GET' }));
    else respond(response, jsonAnswer(200, { metrics: metrics.lastHour() }));
  }, port);
}
