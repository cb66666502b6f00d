// Loaded into everything that calls a name on the internet: the functions, the commands and the sandboxes. Leads the
// names of this check, and no others, to servers on this machine. The product knows nothing of it: it calls
// https://<shop>.myshopify.com, as on AWS, but without TLS.
import http from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';

const agent = new http.Agent({ keepAlive: true });
const { request } = https;
const { fetch } = globalThis;

function find(name) {
  const routes = JSON.parse(process.env.CHECK_AWS_ROUTES ?? '[]');
  const route = routes.find(({ end }) => name.endsWith(end));
  if (!route) return undefined;
  const { hostname, port, host } = new URL(route.address);
  // The engine knows functions by their names; a sandbox answers only to that of this machine.
  return { host: hostname, port, named: route.keepsName ? name : host };
}

https.request = (first, ...rest) => {
  const isAddress = typeof first === 'string' || first instanceof URL;
  const url = isAddress ? new URL(first) : undefined;
  const options = isAddress ? rest.shift() : first;
  const route = find(url?.hostname ?? options.host);
  if (!route) return request(...(isAddress ? [first] : []), options, ...rest);
  const { host, port, named } = route;
  const path = url ? url.pathname + url.search : options.path;
  const given = options.headers ?? {};
  const headers = Array.isArray(given)
    ? given.with(given.indexOf('host') + 1, named)
    : { ...given, host: named };
  return http.request({ ...options, agent, host, port, path, headers }, ...rest);
};

// As far as the commands use it: it would not send another name than that of the address.
globalThis.fetch = (first, init = {}) => {
  if (!find(new URL(first).hostname)) return fetch(first, init);
  return new Promise((resolve, reject) => {
    const { method, headers, signal, body } = init;
    https
      .request(first, { method, headers, signal })
      .once('error', reject)
      .once('response', async (answer) => {
        resolve(new Response(await buffer(answer), { status: answer.statusCode }));
      })
      .end(body);
  });
};
