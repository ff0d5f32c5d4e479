'use strict';
(() => {
  const box = document.getElementById('echarts'), figures = JSON.parse(document.getElementById('charts').textContent);
  void [box, figures];
})();
