import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { about } from './about.ts';
import { action } from './action.ts';
import { ActionDialog } from './parts/action-dialog.tsx';
import { hrefOf, place, VIEWS, type ViewName, type ViewProps } from './router.ts';
import { spent } from './run.ts';
import { strings } from './strings.ts';
import { CustomersView } from './views/customers/view.tsx';
import { HealingView } from './views/healing/view.tsx';
import { HistoryView } from './views/history/view.tsx';
import { LettersView } from './views/letters/view.tsx';
import { NowView } from './views/now/view.tsx';
import { SetUpView } from './views/set-up/view.tsx';
import { StoryView } from './views/story/view.tsx';
import {
  chooseLanguage,
  dollarsText,
  LANGUAGES,
  type Language,
  language,
  numberText,
  words,
} from './words.ts';

const COMPONENTS: Readonly<Record<ViewName, ComponentType<ViewProps>>> = {
  now: NowView,
  story: StoryView,
  letters: LettersView,
  customers: CustomersView,
  healing: HealingView,
  'set-up': SetUpView,
  history: HistoryView,
};

/** What surrounds every view. */
export function Shell() {
  const texts = words(strings);
  const { view } = place.value;
  const View = COMPONENTS[view];
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(view);
  useEffect(() => {
    document.documentElement.lang = language.value;
    document.title = `${texts.views[view]} · ${about.stack}`;
    // A reader of the screen hears which view opened; not at the start, where the page itself is read.
    if (shown.current !== view) heading.current?.focus();
    // On a narrow screen its name may be out of sight.
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest' });
    shown.current = view;
  });
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {texts.skip}
      </button>
      <header>
        <p class="stack">
          <strong>{about.stack}</strong>{' '}
          <span>{about.where === 'aws' ? about.region : texts.onThisMachine}</span>
          {about.readOnly && <span class="badge">{texts.readOnly}</span>}
        </p>
        <label class="language">
          <span>{texts.language}</span>
          <select
            value={language.value}
            onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as Language)}
          >
            {Object.entries(LANGUAGES).map(([code, name]) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <nav aria-label={texts.navigation}>
          <ul>
            {VIEWS.map((one) => (
              <li key={one}>
                <a href={hrefOf(one)} aria-current={one === view ? 'page' : undefined}>
                  {texts.views[one]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        <h1 ref={heading} tabIndex={-1}>
          {texts.views[view]}
        </h1>
        <View place={place.value} />
      </main>
      <footer>
        <SpentText />
      </footer>
      {action.value && <ActionDialog {...action.value} />}
    </>
  );
}

function SpentText() {
  const { spent: onAws, spentHere } = words(strings);
  const { requests, dollars } = spent.value;
  return about.where === 'aws'
    ? onAws(numberText(requests), dollarsText(dollars))
    : spentHere(numberText(requests));
}
