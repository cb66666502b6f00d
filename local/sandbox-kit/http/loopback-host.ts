/**
 * Only names of this machine may stand in the Host header. The server listens on loopback only, but
 * a page in a browser of this machine could have its own name resolve to 127.0.0.1 (DNS rebinding)
 * and would then be of the same origin as the sandbox.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i.test(host ?? '');
}
