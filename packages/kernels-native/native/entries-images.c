// Convolutions and depthwise convolutions, with their gradients. See entries.h.
#include "entries.h"

static Convolution convolution(Call *c) {
  return (Convolution){.n = size_at(c, 3), .height = size_at(c, 4), .width = size_at(c, 5), .channels = size_at(c, 6), .out_height = size_at(c, 7), .out_width = size_at(c, 8), .filters = size_at(c, 9), .filter_h = size_at(c, 10), .filter_w = size_at(c, 11), .stride_h = size_at(c, 12), .stride_w = size_at(c, 13), .dilation_h = size_at(c, 14), .dilation_w = size_at(c, 15)};
}

/** From the first pixel of padded images to the last one that a tap reaches. */
static uint64_t reach_of_taps(int n, int height, int width, int channels, int out_h, int out_w, int filter_h, int filter_w, int stride_h, int stride_w, int dilation_h, int dilation_w) {
  if (n == 0 || out_h == 0 || out_w == 0 || filter_h == 0 || filter_w == 0) return 0;
  const uint64_t row = plus(plus(times((uint64_t)n - 1, (uint64_t)height), times((uint64_t)out_h - 1, (uint64_t)stride_h)), times((uint64_t)filter_h - 1, (uint64_t)dilation_h));
  const uint64_t column = plus(times((uint64_t)out_w - 1, (uint64_t)stride_w), times((uint64_t)filter_w - 1, (uint64_t)dilation_w));
  return times(plus(plus(times(row, (uint64_t)width), column), 1), (uint64_t)channels);
}

static uint64_t reach_of_images(const Convolution *v) {
  return reach_of_taps(v->n, v->height, v->width, v->channels, v->out_height, v->out_width, v->filter_h, v->filter_w, v->stride_h, v->stride_w, v->dilation_h, v->dilation_w);
}

void entry_conv(Call *c) {
  Convolution v = convolution(c);
  const uint64_t filters = (uint64_t)v.filters, depth = TIMES3((uint64_t)v.filter_h, (uint64_t)v.filter_w, (uint64_t)v.channels);
  v.relu = flag_at(c, 17);
  v.x = floats_at(c, 0, reach_of_images(&v));
  v.filter = floats_at(c, 1, times(depth, (filters + 7) / 8 * 8));
  v.y = floats_at(c, 2, TIMES4((uint64_t)v.n, (uint64_t)v.out_height, (uint64_t)v.out_width, filters));
  v.bias = floats_or_none(c, 16, filters);
  if (READY(c)) c->declined = !c->kernels->conv(c->scratch, &v);
}

static void filter_gradient(Call *c, Convolution v) {
  const uint64_t filters = (uint64_t)v.filters;
  v.x = floats_at(c, 0, reach_of_images(&v));
  v.filter = floats_at(c, 1, TIMES4((uint64_t)v.n, (uint64_t)v.out_height, (uint64_t)v.out_width, filters));
  v.y = floats_at(c, 2, TIMES4((uint64_t)v.filter_h, (uint64_t)v.filter_w, (uint64_t)v.channels, filters));
  if (READY(c)) c->kernels->conv_filter_gradient(&v);
}

void entry_conv_filter_gradient(Call *c) {
  Convolution v = convolution(c);
  v.end = INT32_MAX;
  filter_gradient(c, v);
}

void entry_conv_filter_gradient_part(Call *c) {
  Convolution v = convolution(c);
  v.first = step_at(c, 16);
  v.end = step_at(c, 17);
  filter_gradient(c, v);
}

static Depthwise depthwise_geometry(Call *c) {
  Depthwise d = {.n = size_at(c, 3), .height = size_at(c, 4), .width = size_at(c, 5), .channels = size_at(c, 6), .out_height = size_at(c, 7), .out_width = size_at(c, 8), .filter_h = size_at(c, 9), .filter_w = size_at(c, 10), .stride_h = size_at(c, 11), .stride_w = size_at(c, 12), .dilation_h = size_at(c, 13), .dilation_w = size_at(c, 14), .top = whole_at(c, 15), .left = whole_at(c, 16)};
  // The taps of a pixel are listed in a table.
  decline_unless(c, times((uint64_t)d.filter_h, (uint64_t)d.filter_w) <= 4096);
  return d;
}

static uint64_t floats_inside(const Depthwise *d) { return TIMES4((uint64_t)d->n, (uint64_t)d->height, (uint64_t)d->width, (uint64_t)d->channels); }
static uint64_t floats_outside(const Depthwise *d) { return TIMES4((uint64_t)d->n, (uint64_t)d->out_height, (uint64_t)d->out_width, (uint64_t)d->channels); }
static uint64_t floats_of_filter(const Depthwise *d) { return TIMES3((uint64_t)d->filter_h, (uint64_t)d->filter_w, (uint64_t)d->channels); }

void entry_depthwise(Call *c) {
  Depthwise d = depthwise_geometry(c);
  d.x = floats_at(c, 0, floats_inside(&d));
  d.filter = floats_at(c, 1, floats_of_filter(&d));
  d.y = floats_at(c, 2, floats_outside(&d));
  d.bias = floats_or_none(c, 17, (uint64_t)d.channels);
  d.relu = flag_at(c, 18);
  if (READY(c)) c->kernels->depthwise(&d);
}

void entry_depthwise_input_gradient(Call *c) {
  Depthwise d = depthwise_geometry(c);
  d.x = floats_at(c, 0, floats_outside(&d));
  d.filter = floats_at(c, 1, floats_of_filter(&d));
  d.y = floats_at(c, 2, floats_inside(&d));
  if (READY(c)) c->kernels->depthwise_input_gradient(&d);
}

void entry_depthwise_filter_gradient(Call *c) {
  Depthwise d = depthwise_geometry(c);
  d.x = floats_at(c, 0, floats_inside(&d));
  d.filter = floats_at(c, 1, floats_outside(&d));
  d.y = floats_at(c, 2, floats_of_filter(&d));
  if (READY(c)) c->kernels->depthwise_filter_gradient(&d);
}

void entry_depthwise3x3(Call *c) {
  Depthwise d = {.n = size_at(c, 3), .height = size_at(c, 4), .width = size_at(c, 5), .channels = size_at(c, 6), .out_height = size_at(c, 7), .out_width = size_at(c, 8), .filter_h = 3, .filter_w = 3, .stride_h = size_at(c, 9), .stride_w = size_at(c, 10), .dilation_h = size_at(c, 11), .dilation_w = size_at(c, 12), .relu = flag_at(c, 14), .turned = flag_at(c, 15)};
  d.x = floats_at(c, 0, reach_of_taps(d.n, d.height, d.width, d.channels, d.out_height, d.out_width, 3, 3, d.stride_h, d.stride_w, d.dilation_h, d.dilation_w));
  d.filter = floats_at(c, 1, floats_of_filter(&d));
  d.y = floats_at(c, 2, floats_outside(&d));
  d.bias = floats_or_none(c, 13, (uint64_t)d.channels);
  if (READY(c)) c->kernels->depthwise3x3(&d);
}
