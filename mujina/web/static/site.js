// Makes pages quicker: every page works without it.
(() => {
  const one = (css, of = document) => of.querySelector(css),
    all = (css, of = document) => [...of.querySelectorAll(css)],
    on = addEventListener,
    stop = (e) => e.preventDefault(),
    ctrl = (e) => e.ctrlKey || e.metaKey,
    csrf = () => ({ "X-CSRF-Token": one("meta[name=csrf-token]").content }),
    { shortcuts } = document.body.dataset,
    place = (node) => node.closest("[data-project],[data-group]")?.dataset || {}, // the project or group of the page, or of a form
    say = (text) => Object.assign(one("#announcement"), { className: "notice", textContent: text }),
    button = (text, className, onclick) => Object.assign(document.createElement("button"), { type: "button", textContent: text, className, onclick });
  let drafts, tile, list, timer, before = "", row = -1;

  // Parts of pages that htmx replaces; drafts are what is typed elsewhere in the part
  on("htmx:configRequest", (e) => Object.assign(e.detail.headers, csrf()));
  on("htmx:beforeSwap", ({ detail, detail: { xhr, target } }) => {
    drafts = all("textarea").filter((area) => area.value !== area.defaultValue && !area.form?.contains(detail.requestConfig.elt));
    if (!detail.shouldSwap || !target.id || xhr.responseText.includes(`id="${target.id}"`)) return;
    detail.shouldSwap = false;
    if (xhr.status < 400) location = xhr.responseURL; // signed out, or moved: show the page itself
  });
  on("htmx:afterSwap", () => drafts.forEach((area) => {
    const { id, value } = area, now = one(`[id="${id}"]`), box = area.closest(".note,tr"), old = one(`[id="${box?.id || id.slice(5)}"]`);
    if (now) now.value = value, (now.closest("details") || {}).open = true;
    else if (old) area.autofocus = false, box.id ? old.replaceWith(box) : old.closest("tr").after(box), htmx.process(box); // the form of a comment, or of a line
  }));
  // The trace of a job that runs: who reads its end stays there
  let follows;
  on("htmx:beforeSwap", ({ detail: { target } }) => follows = target.id === "more" && innerHeight + scrollY > document.body.scrollHeight - 80);
  on("htmx:afterSwap", () => follows && scrollTo(0, document.body.scrollHeight));
  on("htmx:targetError", (e) => e.target.submit?.());
  const fail = ({ detail }) => say(detail.xhr.status === 401 ? "Signed out: sign in in another tab, then try again." : "That failed. Try again.");
  on("htmx:responseError", fail);
  on("htmx:sendError", fail);
  on("flash", (e) => say(e.detail.value));

  // Menus, the number of a line, and the form below a line of changes
  const close = (unless) => all(".menu[open]").forEach((menu) => menu.contains(unless) || (menu.open = false));
  on("click", (e) => {
    const { target } = e, link = target.closest(".diff .n a,.file-diff .submit a");
    close(target);
    if (list && !list.parentNode.contains(target)) hide();
    if (target.matches(".lines>a")) location.hash = e.shiftKey ? location.hash.replace(/-.*|$/, `-${target.id.slice(1)}`) : target.id;
    if (!link || ctrl(e)) return;
    stop(e);
    htmx.ajax("GET", link.href.split("#")[0], { source: link, target: link.closest(".file-diff"), select: ".file-diff", swap: "outerHTML" });
  });

  // Times
  setInterval(() => all("time[title]").forEach((time) => {
    const seconds = (new Date - new Date(time.dateTime)) / 1000, [size, unit] = [[31536e3, "year"], [2592e3, "month"], [604800, "week"], [86400, "day"], [3600, "hour"], [60, "minute"]].find(([each]) => Math.abs(seconds) >= each) || [];
    time.textContent = size ? new Intl.RelativeTimeFormat("en").format(-seconds / size | 0, unit) : "just now";
  }), 6e4);

  // Copy buttons
  if (navigator.clipboard) on("htmx:load", ({ target }) => all(".copyable,[data-copy],.copy-lines,.shown-once label,pre:has(>code)", target).forEach((box) => {
    const { copy } = box.dataset, source = one("input,code", box);
    if (box.matches("pre")) box.removeAttribute("tabindex"), (source.tabIndex = 0); // the code scrolls, beside the button
    box.append(button(copy || "Copy", copy ? "link" : "button small copy", async (e) => {
      await navigator.clipboard.writeText(source ? source.value || source.textContent : await (await fetch(one("a", box).href)).text());
      e.target.textContent = "Copied";
    }));
  }));

  // Diagrams: a frame that can reach nothing draws them; their source stays if it fails
  on("htmx:load", ({ target }) => all("[data-diagram]", target).forEach((block) => {
    const frame = document.createElement("iframe"), { theme = "" } = document.documentElement.dataset;
    frame.sandbox = "allow-scripts";
    Object.assign(frame, { className: "diagram", title: "Diagram", loading: "lazy", height: 1, src: `/assets/diagram.html#${block.dataset.diagram}/${theme}/${encodeURIComponent(one("code", block).textContent)}` });
    block.before(frame);
  }));
  on("message", ({ source, data: { height } }) => all(".diagram").forEach((frame) => {
    if (frame.contentWindow !== source) return;
    if (!height) return frame.remove();
    const box = document.createElement("details"), block = frame.nextSibling;
    frame.height = Math.min(height, 2e3);
    box.append(Object.assign(document.createElement("summary"), { textContent: "Source" }));
    block.before(box);
    box.append(block);
  }));

  // Lines of files, and comments that this part of a discussion does not have
  const mark = () => {
    const { hash, search } = location, [, kind, first, last] = /^#(L|note_)(\d+)-?L?(\d*)$/.exec(hash) || [], found = one(`#${kind}${first}`),
      { page, size } = one("[data-page]")?.dataset || {}, part = kind === "L" ? page && page + Math.ceil(first / size) : `?note=${first}`;
    all(".lines>a").forEach(({ id, classList, n = id.slice(1) }) => classList.toggle("hit", (n - first) * (n - (last || first)) <= 0));
    found?.scrollIntoView();
    if (kind && !found && part && part !== search) location.replace(part + hash);
  };
  on("hashchange", mark);
  mark();

  // Files that are pasted or dropped into a text
  const isText = (node) => node.matches(":is([data-project],[data-group]) textarea:not(.code-field,.key)"), take = async (e, { files }) => {
    const { project } = place(e.target);
    if (!project || !isText(e.target) || !files.length) return;
    stop(e);
    for (const file of files) {
      const body = new FormData;
      body.append("file", file);
      const answer = await fetch(`/api/v4/projects/${project}/uploads`, { method: "POST", body, headers: csrf() });
      if (answer.ok) e.target.setRangeText(`${(await answer.json()).markdown}\n`, e.target.selectionStart, e.target.selectionEnd, "end");
      else say(`${file.name} was not uploaded.`);
    }
  };
  on("paste", (e) => take(e, e.clipboardData));
  on("drop", (e) => take(e, e.dataTransfer));

  // Cards of boards
  on("dragstart", (e) => (tile = e.target.closest?.(".tile")));
  on("dragover", (e) => tile && e.target.closest(".lane") && stop(e));
  on("drop", (e) => tile && one(`.move [value$=":${e.target.closest(".lane")?.id.slice(5)}"]`, tile)?.click());

  // Suggestions: @people, #issues, !merge requests, ~labels, %milestones and :emoji: in texts; the same in fields to pick from; places to go to
  const hide = () => (list = list?.remove()), isPicker = (node) => node.matches("#search,[data-pick]"), suggest = async (area) => {
    const { pick } = area.dataset, { project, group } = place(area), jump = area.id === "search", before = area.value.slice(0, area.selectionStart),
      word = pick?.[1] ? /[^,]*$/.exec(before)[0].trimStart() : before,
      [, sign, search] = jump ? [0, , before] : pick ? [0, pick[0], word] : /(?:^|\s)([@#!~%](?=.)|:)([^\s@#!~%:]{0,50})$/.exec(before) || [],
      query = new URLSearchParams({ search, ...(sign && { sign }), ...(project ? { project_id: project } : group && { group_id: group }) }),
      answer = (jump ? search : sign) && (await fetch(`/autocomplete/references?${query}`)),
      items = answer?.ok ? await answer.json() : [];
    if (document.activeElement !== area || !area.value.startsWith(before) || area.selectionStart !== before.length) return; // typed on meanwhile
    hide();
    if (!items.length) return;
    list = Object.assign(document.createElement("div"), { className: "menu-body completion", role: "group", ariaLabel: "Suggestions" });
    list.append(...items.map(({ text, title, address }) => button(`${text} ${title}`, "link", () => {
      if (jump) return (location = address);
      const start = area.selectionStart - search.length, value = pick ? text.replace(/^[@~%]"?|"$/g, "") : text;
      area.setRangeText(value + (pick ? pick[1] ? ", " : "" : " "), pick ? start : start - 1, area.selectionStart, "end");
      hide();
      area.focus();
    })));
    area.after(list);
  };
  on("htmx:load", ({ target }) => all("textarea", target).filter(isText).forEach((area) => area.after(button("Emoji", "link", () => {
    area.setRangeText(/\S$/.test(area.value.slice(0, area.selectionStart)) ? " :" : ":", area.selectionStart, area.selectionEnd, "end");
    area.focus();
    suggest(area);
  }))));
  on("input", (e) => {
    clearTimeout(timer);
    e.target.dataset.set = 1;
    hide();
    if (isText(e.target) || isPicker(e.target)) timer = setTimeout(suggest, 150, e.target);
  });
  on("focusin", ({ target }) => {
    if (target.matches("input,textarea,select") && list?.previousElementSibling !== target) hide(); // not on the way to a button, which would move
    if (!isPicker(target) || list) return;
    target.removeAttribute("list");
    suggest(target);
  });

  // Shortcuts
  const KEYS = {
    "?": "a[href='/help/shortcuts']", t: "a[href*='/find_file/']", y: "[data-key=y]", i: "a[href$='/issues/new']", e: ".actions a[href$='/edit']",
    l: ".edit[href$=labels]", a: ".edit[href*=assignee]", m: ".edit[href$=milestone]", T: ".todos", I: ".issues", M: ".merge_requests", gp: ".context-name a.strong"
  }, PAGES = { gf: "tree", gc: "commits", gi: "issues", gb: "boards", gm: "merge_requests", gw: "wikis", gs: "snippets" };
  on("keydown", (e) => {
    const { key } = e, step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[key];
    if (key === "Escape") return close(), hide();
    if (list && step && key.length > 1) {
      const items = all("button", list);
      stop(e);
      return (items[items.indexOf(document.activeElement) + step] || list.previousElementSibling).focus();
    }
    if (key === "Enter" && ctrl(e)) return e.target.form?.requestSubmit();
    if (e.target.closest("input,textarea,select") || ctrl(e) || e.altKey || shortcuts === "off") return;
    const field = one({ "/": "#search", r: "#comment textarea" }[key] || "no"), titles = all(".row-title"),
      link = one(PAGES[before + key] ? `.context a[href*='/${PAGES[before+key]}']` : KEYS[before + key] || KEYS[key] || "no");
    before = key === "g" ? key : "";
    if (field) stop(e), field.focus();
    else if (link) link.click();
    else if (key === "o") titles[row]?.click();
    else if (step) titles[(row = Math.max(0, Math.min(titles.length - 1, row + step)))]?.focus();
  });
})();
