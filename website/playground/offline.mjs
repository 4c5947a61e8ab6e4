// SPDX-License-Identifier: MIT
// Has the service worker keep what the page needs, so that it opens without a network.

/** Keep the page; `tell` takes a sentence about it. */
export async function keepOffline(manifest, tell) {
  if (!navigator.serviceWorker) return;
  try {
    const url = new URL(`service.js?${manifest.version}`, import.meta.url);
    const worker = await activated(await navigator.serviceWorker.register(url));
    const { port1, port2 } = new MessageChannel();
    const kept = new Promise((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
    });
    worker.postMessage({ keep: needed() }, [port2]);
    if (await kept) {
      document.getElementById("playground").dataset.offline = "ready";
      tell("From now on this page opens without a network too.");
    }
  } catch {
    tell("This browser does not keep the page for use without a network.");
  }
}

/** Wait for the worker of this version: another one may be active still. */
function activated({ installing, waiting, active }) {
  const worker = installing ?? waiting ?? active;
  return new Promise((resolve, reject) => {
    const look = () => {
      if (worker.state === "activated") resolve(worker);
      if (worker.state === "redundant") reject(new Error("the service worker could not be installed"));
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

/** What the page has loaded from here: its own files, and the theme's, with the worker that searches. */
function needed() {
  const config = JSON.parse(document.getElementById("__config")?.textContent ?? "{}");
  const search = config.search ? [new URL(config.search, location.href).href] : [];
  const urls = performance.getEntriesByType("resource").map(({ name }) => name);
  return [location.href.split("#")[0], ...search, ...urls].filter((url) => new URL(url).origin === location.origin);
}
