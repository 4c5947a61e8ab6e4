// SPDX-License-Identifier: MIT
// The service worker of the playground: the network first, and what was kept where there is none.
// Its address carries the version of the files, so that each version has a store of its own.

const PREFIX = "cogwire-playground-page-";
const STORE = PREFIX + location.search.slice(1);
const SCOPE = new URL(".", location.href);

/** The worker of the reference keeps its own files: they are large, and named by their digest. */
const isRuntime = (url) => url.pathname.startsWith(SCOPE.pathname) && url.search !== "";

async function keep(urls) {
  const store = await caches.open(STORE);
  const wanted = [...new Set(urls)].filter((url) => !isRuntime(new URL(url, SCOPE)));
  await Promise.all(
    wanted.map(async (url) => {
      if (await store.match(url)) return;
      const response = await fetch(url, { cache: "no-cache" });
      if (response.ok && response.type === "basic") await store.put(url, response);
    }),
  );
}

async function install() {
  const manifest = await (await fetch(new URL("manifest.json", SCOPE), { cache: "no-cache" })).json();
  const names = Object.keys(manifest.files).filter((name) => !manifest.runtime.includes(name));
  await keep([...names, "manifest.json"].map((name) => new URL(name, SCOPE).href));
  await self.skipWaiting();
}

async function activate() {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== STORE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function answer(request) {
  try {
    const response = await fetch(request, { cache: "no-cache" });
    if (response.ok && response.type === "basic") await (await caches.open(STORE)).put(request, response.clone());
    return response;
  } catch (error) {
    const store = await caches.open(STORE);
    const kept = (await store.match(request)) ?? (request.mode === "navigate" ? await store.match(new URL("index.html", SCOPE)) : undefined);
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method === "GET" && url.origin === location.origin && !isRuntime(url)) event.respondWith(answer(event.request));
});

self.addEventListener("message", (event) => {
  const work = keep(event.data.keep).then(() => true, () => false);
  event.waitUntil(work.then((isKept) => event.ports[0].postMessage(isKept)));
});
