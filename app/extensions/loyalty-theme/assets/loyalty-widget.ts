import { LoyaltyWidget } from '../../../widget/loyalty-widget.ts';

// A page may include the script twice.
if (!customElements.get('loyalty-widget')) customElements.define('loyalty-widget', LoyaltyWidget);
