import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { about } from './about.ts';
import { action } from './action.ts';
import { ActionDialog } from './parts/action-dialog.tsx';
import { hrefOf, place, VIEWS, type ViewName, type ViewProps } from './router.ts';
import { strings } from './strings.ts';
import { CustomersView } from './views/customers.tsx';
import { LettersView } from './views/dead-letters.tsx';
import { HealingView } from './views/healing.tsx';
import { HistoryView } from './views/history.tsx';
import { NowView } from './views/now.tsx';
import { SetUpView } from './views/set-up.tsx';
import { StoryView } from './views/story.tsx';

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
  const { view } = place.value;
  const View = COMPONENTS[view];
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(view);
  useEffect(() => {
    document.title = `${strings.views[view]} · ${about.stack}`;
    // A screen reader says which view opened; not at the start, where the page itself is read.
    if (shown.current !== view) heading.current?.focus();
    // On a narrow screen its name may be out of sight.
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest' });
    shown.current = view;
  });
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header>
        <p class="stack">
          <strong>{about.stack}</strong>{' '}
          <span>{about.where === 'aws' ? about.region : 'on this machine'}</span>
          {about.readOnly && <span class="badge">Read only</span>}
        </p>
        <nav aria-label="Views">
          <ul>
            {VIEWS.map((one) => (
              <li key={one}>
                <a href={hrefOf(one)} aria-current={one === view ? 'page' : undefined}>
                  {strings.views[one]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        <h1 ref={heading} tabIndex={-1}>
          {strings.views[view]}
        </h1>
        <View place={place.value} />
      </main>
      {action.value && <ActionDialog {...action.value} />}
    </>
  );
}
