/** Whether a route of an HTTP API (`POST /{shop}`) takes the request; a part in braces is any one part. */
export function matchesRoute(route: string, method: string, path: string): boolean {
  const [wantedMethod, pattern = ''] = route.split(' ');
  const wanted = pattern.split('/');
  const parts = path.split('/');
  return (
    wantedMethod === method &&
    wanted.length === parts.length &&
    wanted.every((part, n) => (/^\{\w+\}$/.test(part) ? parts[n] !== '' : part === parts[n]))
  );
}
