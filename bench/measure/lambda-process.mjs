// What Lambda's runtime does in a new process: loads the handler, asks the Runtime API for an event, posts the
// answer. Plain JavaScript, as the runtime is.
import { createRequire } from 'node:module';
import { context, loadHandler, mustBeDone } from './load-handler.mjs';

const require = createRequire(import.meta.url);
const http = require('node:http');
const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function ask(method, path, body = '') {
  return new Promise((resolve, reject) => {
    const request = http.request({ host, port, method, path, agent }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
    });
    request.on('error', reject).end(body);
  });
}

const handler = await loadHandler(process.argv[2]);
const event = JSON.parse(await ask('GET', '/2018-06-01/runtime/invocation/next'));
const result = await handler(event, context);
mustBeDone(result);
await ask('POST', '/2018-06-01/runtime/invocation/1/response', JSON.stringify(result ?? null));
process.exit(0);
