// What the page does beyond being read: zooms time, chooses a rotation window, sorts, searches,
// downloads. It reads the page and the JSON in it, sets text and never markup, and asks the network
// for nothing.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const all = (query, from) => Array.from((from || document).querySelectorAll(query));
  const SVG = 'http://www.w3.org/2000/svg';
  const make = (tag, text, attributes) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    return element;
  };
  document.documentElement.classList.add('js');

  // ---- hints: the titles of shapes, shown at once for mouse, touch and keyboard
  const tip = make('div', '', { id: 'tip', role: 'status' });
  document.body.append(tip);
  const hints = new WeakMap();
  for (const title of all('svg title')) {
    hints.set(title.parentNode, title.textContent);
    title.remove();
  }
  const hide = () => tip.classList.remove('shown');
  const show = (text, x, y) => {
    if (tip.textContent !== text) tip.textContent = text;
    tip.classList.add('shown');
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - width - 8)) + 'px';
    tip.style.top = (y + 18 + height > innerHeight ? Math.max(4, y - height - 12) : y + 18) + 'px';
  };
  const hintOf = (element) => {
    for (let e = element; e && e.nodeType === 1 && e.tagName !== 'svg'; e = e.parentNode) {
      if (hints.has(e)) return hints.get(e);
    }
    return null;
  };

  // What lies there, one over the other: a window over the contract that the mirror still shows.
  const hintsAt = (x, y) => [...new Set(document.elementsFromPoint(x, y).map(hintOf))].filter(Boolean).join('\n\n');

  // ---- time: one view for all timelines, in milliseconds since the begin of the recording
  const whole = data.span_ms;
  const least = Math.max(whole / 1e6, 0.1);
  // A little more than its microseconds, so that cutting a sum to milliseconds cuts no whole one.
  const base = data.from_ms + 0.0005;
  let view = [0, whole];
  const marks = data.marks;
  const shapes = all('[data-a]').map((e) => ({
    e,
    a: Number(e.dataset.a),
    b: e.hasAttribute('data-b') ? Number(e.dataset.b) : null,
    named: e.tagName === 'svg',
    fixed: Number.parseFloat(e.getAttribute('width')),
  })).concat(all('[data-i]').map((e) => {
    const [a, b] = marks[Number(e.dataset.i)];
    return { e, a, b: b > a ? b : null, named: false, fixed: 2 };
  }));
  const tracks = all('.lanes .track');
  const share = (ms) => (ms - view[0]) / (view[1] - view[0]);
  const per = (v) => (v * 100).toFixed(4) + '%';
  const two = (n) => String(n).padStart(2, '0');
  const stamp = (ms, withDay) => {
    const date = new Date(base + ms);
    if (Number.isNaN(date.getTime())) return '';
    const text = date.toISOString();
    return (withDay ? text.slice(0, 10) + ' ' : '') + text.slice(11, view[1] - view[0] < 60000 ? 23 : 19);
  };
  const STEPS = [1, 5, 10, 50, 100, 500, 1e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5,
    1728e5, 6048e5, 2592e6, 31536e6, 31536e7];
  const axes = all('.axis svg');
  const drawAxes = () => {
    const length = view[1] - view[0];
    const step = STEPS.find((s) => length / s < 7);
    if (!step) return;
    for (const axis of axes) {
      axis.replaceChildren();
      let odd = false;
      for (let at = (Math.floor((base + view[0]) / step) + 1) * step; at <= base + view[1]; at += step) {
        const x = per(share(at - base));
        const date = new Date(Math.round(at)).toISOString();
        const time = date.slice(11, 19);
        const text = step >= 864e5 || time === '00:00:00' ? date.slice(0, 10)
          : step >= 6e4 ? time.slice(0, 5) : step >= 1e3 ? time : date.slice(11, 23);
        const group = document.createElementNS(SVG, 'g');
        group.setAttribute('class', odd ? 'tick odd' : 'tick');
        odd = !odd;
        const line = document.createElementNS(SVG, 'line');
        for (const [name, value] of [['x1', x], ['x2', x], ['y1', 0], ['y2', 5]]) line.setAttribute(name, value);
        const label = document.createElementNS(SVG, 'text');
        label.setAttribute('x', x);
        label.setAttribute('y', 16);
        label.textContent = text;
        group.append(line, label);
        axis.append(group);
      }
    }
  };
  // Names are written in full, shorter, or not at all: as there is room. They are measured without
  // asking for the page's layout.
  const pen = document.createElement('canvas').getContext('2d');
  const family = getComputedStyle(document.body).fontFamily;
  const wide = (text, size) => {
    pen.font = '600 ' + size + 'px ' + family;
    return pen.measureText(text).width;
  };
  const labels = all('svg.name').map((e) => {
    const text = e.firstElementChild;
    const inside = !e.matches('.lag, .storm');
    const size = inside ? 12 : 11;
    const words = [text.textContent, text.dataset.s];
    return { e, text, inside, words, sizes: words.map((w) => wide(w, size) + 8), a: Number(e.dataset.a), b: Number(e.dataset.b) };
  });
  const byLane = new Map();
  for (const label of labels) {
    const lane = label.e.parentNode;
    if (!byLane.has(lane)) byLane.set(lane, []);
    byLane.get(lane).push(label);
  }
  const write = (label, i) => {
    const text = i < 0 ? '' : label.words[i];
    if (label.text.textContent !== text) label.text.textContent = text;
  };
  const drawLabels = () => {
    if (!tracks.length) return;
    const width = tracks[0].getBoundingClientRect().width;
    for (const lane of byLane.values()) {
      let free = 0;
      for (const label of lane) {
        const a = share(label.a) * width;
        const b = share(label.b) * width;
        if (b < 0 || a > width) continue;
        const from = Math.max(a, 0);
        const room = Math.min(b, width) - from;
        if (label.inside) {
          write(label, label.sizes.findIndex((size) => size <= room));
        } else {
          // Above its shape: it may be longer than that, but not meet the one before nor the end.
          const fits = label.sizes.findIndex((size) => from >= free && from + size <= width);
          write(label, fits);
          if (fits >= 0) free = from + label.sizes[fits];
        }
      }
    }
  };
  const period = make('span', '', { id: 'period', 'aria-live': 'polite' });
  let asked = false;
  // As the page comes, all shapes stand where they belong.
  let placed = true;
  const draw = () => {
    asked = false;
    if (placed) placed = false;
    else for (const s of shapes) {
      const a = share(s.a);
      const b = s.b === null ? a : share(s.b);
      const gone = b < -0.0005 || a > 1.0005;
      if (gone !== Boolean(s.gone)) {
        s.gone = gone;
        s.e.style.display = gone ? 'none' : '';
      }
      if (gone) continue;
      const from = Math.max(a, -0.01);
      if (s.b === null) {
        // A name keeps to its shape's begin; a mark without an end has the width that it was given.
        s.e.setAttribute('x', per(a));
        if (!s.named && s.fixed) s.e.setAttribute('width', s.fixed);
      } else {
        const left = s.named ? Math.max(a, 0) : from;
        s.e.setAttribute('x', per(left));
        s.e.setAttribute('width', per(Math.max(Math.min(b, 1.01) - left, 0)));
      }
    }
    drawLabels();
    drawAxes();
    period.textContent = stamp(view[0], true) + ' to ' + stamp(view[1], true) + ' UTC';
  };
  const look = (from, to) => {
    const length = Math.min(Math.max(to - from, least), whole);
    const middle = (from + to) / 2;
    const a = Math.min(Math.max(middle - length / 2, 0), whole - length);
    view = [a, a + length];
    document.documentElement.dataset.view = view.map((v) => Math.round(v)).join(' ');
    if (!asked) {
      asked = true;
      requestAnimationFrame(draw);
    }
  };
  const zoom = (factor, at) => {
    const middle = at === undefined ? (view[0] + view[1]) / 2 : at;
    look(middle - (middle - view[0]) * factor, middle + (view[1] - middle) * factor);
  };
  const pan = (part) => {
    const by = (view[1] - view[0]) * part;
    const to = Math.min(Math.max(view[0] + by, 0), whole - (view[1] - view[0]));
    look(to, to + view[1] - view[0]);
  };
  const home = () => look(0, whole);
  addEventListener('resize', () => look(view[0], view[1]));

  const controls = document.getElementById('controls');
  if (controls) {
    for (const [text, label, act] of [['−', 'Zoom out', () => zoom(2)], ['+', 'Zoom in', () => zoom(0.5)],
      ['←', 'Earlier', () => pan(-0.3)], ['→', 'Later', () => pan(0.3)], ['All', 'Show the whole recording', home]]) {
      const button = make('button', text, { type: 'button', 'aria-label': label, title: label });
      button.addEventListener('click', act);
      controls.append(button);
    }
    const how = matchMedia('(hover: none)').matches
      ? 'Drag to move, pinch to zoom, tap a mark or a block for its evidence.'
      : 'Drag to move, Ctrl + wheel to zoom, double-click to zoom in. Keys on a timeline: arrows, + − 0; n and p go through admissions, c through contracts.';
    controls.append(period, make('span', how, { class: 'left-out' }));
  }

  const timeAt = (track, x) => {
    const box = track.getBoundingClientRect();
    return view[0] + (x - box.left) / box.width * (view[1] - view[0]);
  };
  const markText = (i) => {
    const [a, b, n, task, verdict, place] = marks[i];
    const when = n > 1 ? stamp(a, true) + ' to ' + stamp(b, true) : stamp(a, true);
    const many = n > 1 ? n + ' tasks: ' + verdict + '\nfirst: ' + task : task + ': ' + verdict;
    return many + '\nadmitted ' + when + (place ? '\nartifact: ' + place : '') + '\ncarddrift explain ' + task;
  };
  // The marks of each track by time, so that the nearest is found although each is thin.
  const byTrack = new Map(tracks.map((track) => [track, all('[data-i]', track)
    .map((e) => ({ e, i: Number(e.dataset.i), a: marks[Number(e.dataset.i)][0], b: marks[Number(e.dataset.i)][1] }))
    .sort((x, y) => x.a - y.a)]));
  let lit = null;
  const light = (element) => {
    if (lit) lit.classList.remove('lit');
    lit = element;
    if (lit) lit.classList.add('lit');
  };
  const nearest = (track, x, y) => {
    const at = timeAt(track, x);
    const reach = (view[1] - view[0]) / track.getBoundingClientRect().width * 6;
    let best = null;
    let far = reach;
    for (const m of byTrack.get(track) || []) {
      if (m.a > at + reach) break;
      const away = at < m.a ? m.a - at : at > m.b ? at - m.b : 0;
      const box = m.e.getBoundingClientRect();
      if (away <= far && y >= box.top - 4 && y <= box.bottom + 4) {
        best = m;
        far = away;
      }
    }
    return best;
  };
  const pointers = new Map();
  let moved = false;
  for (const lanes of all('.lanes')) {
    const tell = (event) => {
      const track = event.target.closest && event.target.closest('.track');
      if (track) {
        const mark = nearest(track, event.clientX, event.clientY);
        light(mark ? mark.e : null);
        const text = mark ? markText(mark.i) : hintsAt(event.clientX, event.clientY);
        if (text) show(text, event.clientX, event.clientY); else hide();
      }
    };
    lanes.addEventListener('pointermove', (event) => { if (pointers.size === 0) tell(event); });
    lanes.addEventListener('pointerleave', (event) => {
      if (event.pointerType !== 'mouse') return;
      light(null);
      hide();
    });
    lanes.addEventListener('wheel', (event) => {
      const track = lanes.querySelector('.track');
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.01), timeAt(track, event.clientX));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
        event.preventDefault();
        pan((event.shiftKey ? event.deltaY || event.deltaX : event.deltaX) / track.getBoundingClientRect().width);
      }
    }, { passive: false });
    lanes.addEventListener('pointerdown', (event) => {
      if (!event.target.closest('.track') || event.button > 0) return;
      pointers.set(event.pointerId, event.clientX);
      moved = false;
      if (event.pointerType !== 'mouse') tell(event);
    });
    lanes.addEventListener('dblclick', (event) => {
      const track = event.target.closest('.track');
      if (track) zoom(0.4, timeAt(track, event.clientX));
    });
    lanes.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const act = {
        ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15), '+': () => zoom(0.6), '=': () => zoom(0.6), '-': () => zoom(1 / 0.6),
        0: home, Home: home, n: () => step(lanes, 1), p: () => step(lanes, -1), c: () => stepBlocks(lanes, 1), C: () => stepBlocks(lanes, -1), Escape: () => { hide(); choose(null); },
      }[event.key];
      if (!act) return;
      event.preventDefault();
      hide();
      act();
    });
  }
  addEventListener('pointermove', (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = pointers.get(event.pointerId);
    const width = tracks[0].getBoundingClientRect().width;
    if (pointers.size === 1) {
      const by = (before - event.clientX) / width;
      if (!moved && Math.abs(before - event.clientX) < 4) return;
      moved = true;
      hide();
      pan(by);
    } else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const was = Math.abs(before - other);
      const is = Math.abs(event.clientX - other);
      if (was > 10 && is > 10) zoom(was / is, timeAt(tracks[0], (event.clientX + other) / 2));
      moved = true;
    }
    pointers.set(event.pointerId, event.clientX);
  });
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, (event) => pointers.delete(event.pointerId));

  // n and p: from one bad admission to the next, or through all when none is bad.
  const step = (lanes, by) => {
    const bad = all('.m.split, .m.corrupt, .m.incomplete', lanes);
    const list = (bad.length ? bad : all('.m', lanes)).sort((x, y) => marks[x.dataset.i][0] - marks[y.dataset.i][0]);
    if (!list.length) return;
    let next = list.indexOf(lit) + by;
    if (!list.includes(lit)) {
      const ahead = list.findIndex((e) => marks[e.dataset.i][0] >= view[0]);
      next = by > 0 ? (ahead < 0 ? list.length - 1 : ahead) : list.findLastIndex((e) => marks[e.dataset.i][0] <= view[1]);
    }
    const at = Math.min(Math.max(next, 0), list.length - 1);
    const i = Number(list[at].dataset.i);
    const time = marks[i][0];
    if (time < view[0] || time > view[1]) look(time - (view[1] - view[0]) / 2, time + (view[1] - view[0]) / 2);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      light(list[at]);
      const box = list[at].getBoundingClientRect();
      show(markText(i), box.left, box.bottom);
    }));
  };

  // c and C: from one contract's block to the next, lane by lane.
  const stepBlocks = (lanes, by) => {
    const list = all('rect.epoch', lanes);
    if (!list.length) return;
    const at = list.includes(lit) ? Math.min(Math.max(list.indexOf(lit) + by, 0), list.length - 1) : by > 0 ? 0 : list.length - 1;
    const [a, b] = [Number(list[at].dataset.a), Number(list[at].dataset.b)];
    if (b < view[0] || a > view[1]) look(a - (view[1] - view[0]) / 2, a + (view[1] - view[0]) / 2);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      light(list[at]);
      const box = list[at].getBoundingClientRect();
      show(hints.get(list[at]), Math.max(box.left, 0), box.bottom);
    }));
  };

  // ---- a chosen rotation window filters whatever belongs to windows
  const bar = make('div', '', { id: 'chosen', role: 'status' });
  const said = make('span');
  const away = make('button', 'Show everything', { type: 'button' });
  bar.append(said, away);
  document.body.append(bar);
  let chosen = null;
  const belongs = (element) => {
    if (!chosen || !element.hasAttribute('data-w')) return true;
    return element.getAttribute('data-w').split(' ').some((w) => chosen.has(w));
  };
  const grids = [];
  const choose = (windows) => {
    chosen = windows;
    for (const button of all('rect.win, rect.rot')) {
      const on = Boolean(chosen) && button.dataset.w !== '' && button.dataset.w.split(' ').every((w) => chosen.has(w));
      button.setAttribute('aria-pressed', String(on));
    }
    for (const article of all('article[data-w]')) article.classList.toggle('hidden', !belongs(article));
    for (const grid of grids) grid();
    bar.classList.toggle('shown', Boolean(chosen));
    if (!chosen) return;
    const told = [...chosen].map((w) => data.windows[w]).filter(Boolean);
    const causes = {};
    for (const w of told) for (const cause in w.causes) causes[cause] = (causes[cause] || 0) + w.causes[cause];
    const why = Object.entries(causes).map(([cause, n]) => cause.replaceAll('_', ' ') + ' ' + n).join(', ');
    said.textContent = 'Only ' + told.slice(0, 3).map((w) => w.words).join(' · ') + (told.length > 3 ? ' · and ' + (told.length - 3) + ' more' : '') +
      (why ? '. Causes: ' + why : '') + '.';
  };
  away.addEventListener('click', () => choose(null));
  for (const button of all('rect.win, rect.rot')) {
    const act = () => {
      const windows = button.dataset.w.split(' ').filter(Boolean);
      const same = chosen && windows.length === chosen.size && windows.every((w) => chosen.has(w));
      choose(same || !windows.length ? null : new Set(windows));
    };
    button.addEventListener('click', () => { if (!moved) act(); });
    button.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        event.stopPropagation();
        act();
      }
    });
    const focus = () => {
      const box = button.getBoundingClientRect();
      if (button.matches(':focus-visible') && hints.has(button)) show(hints.get(button), box.left, box.bottom);
    };
    button.addEventListener('focus', focus);
    button.addEventListener('blur', hide);
  }
  addEventListener('keydown', (event) => { if (event.key === 'Escape') { hide(); choose(null); } });
  for (const svg of all('svg:not(.track)')) {
    const tell = (event) => {
      const text = hintOf(event.target);
      if (text) show(text, event.clientX, event.clientY); else hide();
    };
    svg.addEventListener('pointermove', tell);
    svg.addEventListener('pointerdown', tell);
    svg.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse') hide(); });
  }
  // What a finger asked for goes when it touches something else, or moves the page.
  let touched = false;
  addEventListener('pointerdown', (event) => {
    touched = event.pointerType !== 'mouse';
    if (!event.target.closest('svg')) hide();
  });
  addEventListener('keydown', () => { touched = false; });
  addEventListener('scroll', () => { if (touched) hide(); }, { passive: true });

  // ---- tables: sort, search, download
  const valueOf = (cell) => (cell.hasAttribute('data-v') ? cell.getAttribute('data-v') : cell.textContent.trim());
  const csvField = (text, number) => {
    // A spreadsheet would run such a text as a formula.
    const safe = !number && /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? "'" + text : text;
    return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  };
  for (const figure of all('figure.grid')) {
    const table = figure.querySelector('table');
    const body = table.tBodies[0];
    const heads = all('th', table);
    const rows = Array.from(body.rows);
    const search = make('input', '', { type: 'search', placeholder: 'Search', 'aria-label': 'Search: ' + table.caption.textContent });
    const shown = make('span', '', { class: 'shown', role: 'status' });
    const save = make('button', 'CSV', { type: 'button', title: 'Download the rows that are shown', 'aria-label': 'Download as CSV: ' + table.caption.textContent });
    const tools = make('div', '', { class: 'tools' });
    tools.append(search, save, shown);
    figure.prepend(tools);
    const texts = new Map();
    const textOf = (row) => {
      if (!texts.has(row)) texts.set(row, (row.textContent + ' ' + Array.from(row.cells, valueOf).join(' ')).toLowerCase());
      return texts.get(row);
    };
    const count = (n) => {
      shown.textContent = n === rows.length ? n + (n === 1 ? ' row' : ' rows') : n + ' of ' + rows.length + ' rows';
    };
    const filter = () => {
      const wanted = search.value.trim().toLowerCase();
      let n = 0;
      for (const row of rows) {
        const on = belongs(row) && (!wanted || textOf(row).includes(wanted));
        row.classList.toggle('hidden', !on);
        if (on) n += 1;
      }
      count(n);
    };
    grids.push(filter);
    search.addEventListener('input', filter);
    heads.forEach((head, column) => {
      const title = head.textContent;
      if (!title) return;
      const number = head.classList.contains('num');
      const button = make('button', title, { type: 'button', title: 'Sort by ' + title });
      head.replaceChildren(button);
      button.addEventListener('click', () => {
        const down = head.getAttribute('aria-sort') === (number ? 'descending' : 'ascending') ? number : !number;
        const sign = down ? 1 : -1;
        for (const other of heads) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', down ? 'ascending' : 'descending');
        const key = (row) => valueOf(row.cells[column]);
        const empty = (v) => v === '';
        rows.sort((x, y) => {
          const [a, b] = [key(x), key(y)];
          // What is unknown comes last, whichever way.
          if (empty(a) || empty(b)) return empty(a) - empty(b);
          return sign * (number ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0);
        });
        body.append(...rows);
      });
    });
    save.addEventListener('click', () => {
      const used = heads.map((head, i) => i).filter((i) => heads[i].dataset.k !== 'picture');
      const lines = [used.map((i) => csvField(heads[i].dataset.k, false)).join(',')];
      for (const row of Array.from(body.rows)) {
        if (row.classList.contains('hidden')) continue;
        lines.push(used.map((i) => csvField(valueOf(row.cells[i]), heads[i].classList.contains('num'))).join(','));
      }
      const url = URL.createObjectURL(new Blob([lines.join('\r\n') + '\r\n'], { type: 'text/csv;charset=utf-8' }));
      const link = make('a', '', { href: url, download: 'carddrift-' + figure.dataset.name + '.csv' });
      document.body.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(url), 60000);
    });
    count(rows.length);
  }
  look(0, whole);
})();
