import type { Announcement, AnnouncingStore } from '../../rewards/balances/announce.ts';
import { unavailable } from './client/admin-answer.ts';
import type { Ask } from './client/admin-client.ts';
import { sendTriggerDocument } from './documents.gen.ts';

/**
 * Starts the workflows of Shopify Flow that begin with one of our triggers. The fields are those that the extensions in
 * app/extensions declare, and all of them: Flow fails a run that lacks one ("Flow trigger reference").
 */
export async function sendTrigger(
  ask: Ask,
  shop: string,
  announcement: Announcement,
): ReturnType<AnnouncingStore['announce']> {
  const payload = { customer_id: Number(announcement.customerId), ...fieldsOf(announcement, shop) };
  const handle = `loyalty-${announcement.what}`;
  const answer = await ask(sendTriggerDocument, { handle, payload });
  return answer.kind === 'data' ? { kind: 'taken' } : unavailable(answer);
}

function fieldsOf(
  announced: Announcement,
  shop: string,
): Readonly<Record<string, string | number>> {
  switch (announced.what) {
    case 'points-changed':
      return { Points: Number(announced.points), Change: Number(announced.change) };
    case 'tier-changed':
      return { Tier: announced.tier ?? '', 'Previous tier': announced.before ?? '' };
    case 'points-expiring':
      return { 'Expiring points': Number(announced.points), 'Expires at': announced.at };
    case 'reward-redeemed':
      return {
        Reward: announced.reward,
        'Points spent': Number(announced.points),
        Code: announced.code ?? '',
        'Use link': announced.code === null ? '' : useLink(shop, announced.code),
      };
  }
}

/** Applies the code and opens the cart: for e-mails, which have no page around them. */
const useLink = (shop: string, code: string): string =>
  `https://${shop}/discount/${encodeURIComponent(code)}?redirect=/cart`;
