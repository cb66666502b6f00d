import { type Asking, serveInProcess } from '../support/served-storefront.ts';
import { expectLaw } from './fuzz-target.ts';

const INPUTS_PER_SHOP = 200;

/** A storefront for one input after the other, with the laws for all its requests. */
export function openFuzzedStorefront(settings: Parameters<typeof serveInProcess>[0] = {}) {
  let shop = serveInProcess(settings);
  let runs = 0;
  return {
    /** New for each input, so that neither rate limits nor redemptions affect the next one. */
    next() {
      runs += 1;
      if (runs % INPUTS_PER_SHOP === 0) shop = serveInProcess(settings);
      shop.clock.ms += 60_000;
      shop.redeemed.length = 0;
      shop.challenged.length = 0;
      shop.telemetry.logged.length = 0;
      shop.telemetry.counted.length = 0;
      shop.loyalty.journal.length = 0;
      shop.parts.answer = { kind: 'refused', why: 'not-available' };
      return shop;
    },

    async ask(path: string, body: Uint8Array, asking: Asking) {
      const text = asking.method === 'GET' ? '' : Buffer.from(body).toString('utf8');
      const answer = await shop.ask(path, { ...asking, body: text });
      const broken = shop.telemetry.logged.find(({ message }) =>
        /storefront request failed/.test(message),
      );
      expectLaw(!broken, `no request breaks off: ${broken?.fields.error} ${broken?.fields.stack}`);
      expectLaw(answer.status < 500, `no ${answer.status} while the service answers`);
      return answer;
    },
  };
}
