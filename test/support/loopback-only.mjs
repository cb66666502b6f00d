// Loaded into every command that a test starts: no name is looked up, so that no test can ever ask the
// shop or the loyalty service that somebody's connector.config.ts names.
import dns from 'node:dns';

const lookUp = dns.lookup;

dns.lookup = (name, ...rest) => {
  if (name === 'localhost' || /^[\d.:]+$/.test(name)) return lookUp(name, ...rest);
  const refused = new Error(`getaddrinfo ENOTFOUND ${name}`);
  rest.at(-1)(Object.assign(refused, { code: 'ENOTFOUND', syscall: 'getaddrinfo' }));
};
