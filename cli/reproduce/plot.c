/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Plots: the rows of a table along x, values along y by their logarithm, a line for each column:
 * measured ones drawn through, published ones dashed. */
#include <stdio.h>
#include <string.h>

#include "cli/reproduce/render.h"

enum {
    WIDTH = 380,
    HEIGHT = 240,
    LEFT = 48,
    RIGHT = 10,
    TOP = 10,
    BOTTOM = 52,
    COLOURS = 6,
    TICKS = 3,
    MOST_ROWS = 32
};

static const double ticks[TICKS] = {1, 2, 5};

static const char *const colours[COLOURS] = {"c0", "c1", "c2", "c3", "c4", "c5"};

/* What is plotted of a cell. */
typedef enum plot_source { PLOT_HERE, PLOT_PAPER } plot_source;

typedef struct plot_scale {
    double least, most; /* logarithms */
} plot_scale;

static double value_of(const paper_result *result, size_t row, size_t column, plot_source source) {
    const paper_cell *cell = paper_cell_at(result, row, column);
    return source == PLOT_HERE ? cell->here : cell->paper;
}

static size_t count_values(const paper_result *result, size_t column, plot_source source) {
    size_t count = 0;
    for (size_t row = 0; row < result->rows; row++) {
        if (value_of(result, row, column, source) > 0)
            count++;
    }
    return count;
}

/* The tick at or beyond a logarithm: 1, 2 or 5 times a power of ten. */
static double round_to_tick(double logarithm, bool upwards) {
    double power = floor(logarithm);
    double first = log10(ticks[0]);
    for (size_t i = 0; i < TICKS; i++) {
        double tick = log10(ticks[i]);
        if (upwards && power + tick >= logarithm)
            return power + tick;
        first = power + tick <= logarithm ? tick : first;
    }
    return upwards ? power + 1 : power + first;
}

static bool find_scale(const paper_result *result, plot_scale *scale) {
    *scale = (plot_scale){INFINITY, -INFINITY};
    bool has_line = false;
    for (size_t column = 0; column < result->columns; column++) {
        for (int source = PLOT_HERE; source <= PLOT_PAPER; source++) {
            has_line = has_line || count_values(result, column, (plot_source)source) > 1;
            for (size_t row = 0; row < result->rows; row++) {
                double value = value_of(result, row, column, (plot_source)source);
                if (!(value > 0))
                    continue;
                scale->least = fmin(scale->least, log10(value));
                scale->most = fmax(scale->most, log10(value));
            }
        }
    }
    scale->least = round_to_tick(scale->least, false);
    scale->most = round_to_tick(scale->most, true);
    if (scale->most - scale->least < 0.1)
        scale->most = round_to_tick(scale->most + 0.1, true);
    return has_line;
}

static double x_of(const paper_result *result, size_t row) {
    size_t steps = result->rows > 1 ? result->rows - 1 : 1;
    return LEFT + 8 + (double)(WIDTH - LEFT - RIGHT - 16) * (double)row / (double)steps;
}

static double y_of(const plot_scale *scale, double value) {
    double share = (log10(value) - scale->least) / (scale->most - scale->least);
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
}

/* Rows may be in groups: the first of a group is labelled "GROUP: ROW". */
static bool begins_group(const paper_table *table, size_t row) {
    return strchr(table->shape->rows[row], ':') != NULL;
}

static bool has_groups(const paper_table *table) {
    return begins_group(table, 0);
}

/* The beginning of a row's label, or its group's name, inclined below the axis. */
static void print_label(FILE *file, const paper_result *result, size_t row) {
    char label[16];
    const char *name = result->table->shape->rows[row];
    double x = x_of(result, row) + 4;
    int y = HEIGHT - BOTTOM + 14;
    size_t length = strcspn(name, ":");
    (void)snprintf(label, sizeof label, "%.*s", (int)(length < 13 ? length : 12), name);
    (void)fprintf(file,
                  "<text x=\"%.1f\" y=\"%d\" text-anchor=\"end\" transform=\"rotate(-35 %.1f "
                  "%d)\">",
                  x, y, x, y);
    render_escaped(file, label);
    (void)fputs("</text>\n", file);
}

static void print_tick(FILE *file, const plot_scale *scale, int power, double tick) {
    const double slack = 1e-9;
    double logarithm = power + log10(tick);
    double value = tick * pow(10, power);
    if (logarithm < scale->least - slack || logarithm > scale->most + slack)
        return;
    double y = y_of(scale, value);
    (void)fprintf(file,
                  "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                  "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.*f</text>\n",
                  LEFT, WIDTH - RIGHT, y, y, LEFT - 4, y + 3, power < 0 ? -power : 0, value);
}

static void print_grid(FILE *file, const paper_result *result, const plot_scale *scale) {
    double span = scale->most - scale->least;
    size_t used = span > 2 ? 1 : TICKS; /* of the ticks in a power of ten */
    int step = span > 6 ? 2 : 1;
    for (int power = (int)floor(scale->least); power <= (int)scale->most; power += step) {
        for (size_t i = 0; i < used; i++)
            print_tick(file, scale, power, ticks[i]);
    }
    size_t every = result->rows > 8 ? 2 : 1;
    bool grouped = has_groups(result->table);
    for (size_t row = 0; row < result->rows; row++) {
        if (grouped ? begins_group(result->table, row) : row % every == 0)
            print_label(file, result, row);
    }
}

/* A line through the values of a column, with a point at each. */
static void print_line(FILE *file, const paper_result *result, const plot_scale *scale,
                       size_t column, plot_source source) {
    bool is_here = source == PLOT_HERE;
    size_t colour = column % COLOURS;
    if (count_values(result, column, source) == 0)
        return;
    bool is_open = false;
    for (size_t row = 0; row < result->rows; row++) {
        double value = value_of(result, row, column, source);
        if (is_open && begins_group(result->table, row)) {
            (void)fputs("\"/>\n", file);
            is_open = false;
        }
        if (!(value > 0))
            continue;
        if (!is_open)
            (void)fprintf(file, "<polyline class=\"%s\" stroke=\"var(--c%zu)\" points=\"",
                          is_here ? "here" : "paper", colour);
        is_open = true;
        (void)fprintf(file, "%.1f,%.1f ", x_of(result, row), y_of(scale, value));
    }
    if (is_open)
        (void)fputs("\"/>\n", file);
    for (size_t row = 0; row < result->rows; row++) {
        double value = value_of(result, row, column, source);
        char number[RENDER_NUMBER_BYTES];
        if (!(value > 0))
            continue;
        (void)fprintf(file,
                      "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" stroke=\"var(--c%zu)\" "
                      "style=\"fill:var(--%s)\"><title>",
                      x_of(result, row), y_of(scale, value), colour,
                      is_here ? colours[colour] : "back");
        render_escaped(file, result->table->shape->columns[column]);
        (void)fputs(", ", file);
        render_escaped(file, result->table->shape->rows[row]);
        (void)fprintf(file, ": %s %s (%s)</title></circle>\n", render_number(value, number),
                      result->table->shape->unit, is_here ? "here" : "paper");
    }
}

static void print_legend(FILE *file, const paper_result *result) {
    (void)fputs("<ul class=\"legend\">\n", file);
    for (size_t column = 0; column < result->columns; column++) {
        (void)fprintf(file, "<li><i style=\"border-color:var(--c%zu)\"></i>", column % COLOURS);
        render_escaped(file, result->table->shape->columns[column]);
        (void)fputs("</li>\n", file);
    }
    if (result->table->paper != NULL)
        (void)fputs("<li><i class=\"dash\"></i>in the paper</li>\n", file);
    (void)fputs("</ul>\n", file);
}

void render_plot(FILE *file, const paper_result *result) {
    plot_scale scale;
    if (result->rows > MOST_ROWS || !find_scale(result, &scale))
        return;
    (void)fprintf(file, "<figure>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH,
                  HEIGHT);
    render_escaped(file, result->table->caption);
    (void)fputs("\">\n", file);
    print_grid(file, result, &scale);
    for (size_t column = 0; column < result->columns; column++) {
        print_line(file, result, &scale, column, PLOT_PAPER);
        print_line(file, result, &scale, column, PLOT_HERE);
    }
    (void)fputs("</svg>\n", file);
    print_legend(file, result);
    (void)fputs("</figure>\n", file);
}
