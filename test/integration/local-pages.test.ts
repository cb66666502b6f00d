import { expect, it, onTestFinished, vi } from 'vitest';
import { startLoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import { largestBodyBytes } from '../../local/sandbox-kit/http/requests.ts';
import { startServer } from '../../local/sandbox-kit/http/server.ts';
import { startStoreSandbox } from '../../local/store-sandbox/sandbox.ts';
import { startStorefrontDemo } from '../../local/storefront-demo/demo.ts';

function stopped<Part extends { stop(): Promise<void> }>(part: Part): Part {
  onTestFinished(() => part.stop());
  return part;
}

it('a bug of a sandbox is a page for a browser, and JSON for programs', async () => {
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => stderr.mockRestore());
  const { address } = stopped(await startServer(() => Promise.reject(new Error('oops')), 0));
  const page = await fetch(address, { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect(page.status).toBe(500);
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(await page.text()).not.toContain('oops');
  const answer = await fetch(address);
  expect(answer.status).toBe(500);
  expect(await answer.json()).toEqual({ problems: ['The sandbox has a bug.'] });
});

it('a form that is too large for the shop is answered with a page of the shop', async () => {
  const store = stopped(await startStoreSandbox());
  const loyalty = stopped(await startLoyaltySandbox());
  const proxyTo = 'http://127.0.0.1:9';
  const neighbours = { console: 'http://127.0.0.1:10/' };
  const { address } = stopped(
    await startStorefrontDemo({ port: 0, proxyTo, store, loyalty, neighbours }),
  );
  const body = 'x'.repeat(largestBodyBytes + 1);
  const answer = await fetch(`${address}/cart/code`, { method: 'POST', body });
  expect(answer.status).toBe(413);
  expect(await answer.text()).toContain('<h1>This is more than the shop reads</h1>');
  expect(await (await fetch(address)).text()).toContain(`href="${neighbours.console}"`);
});
